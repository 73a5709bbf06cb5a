import { SignInPrompt } from "./SignInPrompt";
import { UserMenu } from "./UserMenu";

/** What the navigation bar holds for those who are, or were, signed in. Visitors do not load it. */
export function SignedIn() {
  return (
    <>
      <UserMenu />
      <SignInPrompt />
    </>
  );
}
