import type { ComponentProps } from "react";
import { Button } from "@/ui/Button";
import { Icon } from "@/ui/Icon";

interface ToggleProps extends ComponentProps<typeof Button> {
  pressed: boolean;
}

/** A button that stays pressed, and shows that with a sign. */
export function Toggle({ pressed, children, ...rest }: ToggleProps) {
  return (
    <Button {...rest} className="ws-toggle" aria-pressed={pressed}>
      {pressed && <Icon name="check" size={16} />}
      {children}
    </Button>
  );
}
