import { SignInPrompt } from "./SignInPrompt";
import { UserMenu } from "./UserMenu";

/** The part of the navigation bar for people who are, or were, signed in. Visitors don't load it. */
export function SignedIn() {
  return (
    <>
      <UserMenu />
      <SignInPrompt />
    </>
  );
}
