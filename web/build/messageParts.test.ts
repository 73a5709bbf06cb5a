import { expect, test } from "vitest";
import { partMessages } from "./messageParts";

test("each group of messages is a module of its own, under the name that the importer gives it", () => {
  const code = 'import { privacyMessages, reviewMessages as words } from "./messages";\nconst a = words.name;';
  expect(partMessages(code)).toBe(
    'import { privacyMessages } from "./messages?privacyMessages"; import { reviewMessages as words } from "./messages?reviewMessages";\nconst a = words.name;',
  );
  expect(partMessages('import {\n  a,\n  type T,\n} from "@/ui/messages";')).toBe(
    'import { a } from "@/ui/messages?a";',
  );
});

test("other imports stay as they are", () => {
  for (const code of ['import { messageOf } from "@/api/problem";', 'import { a } from "./messagesOfAll";']) {
    expect(partMessages(code)).toBe(code);
  }
});
