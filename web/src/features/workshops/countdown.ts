import { joinMessages as messages } from "./JoinPage.messages";

/** How long it is until then, in its largest two units at most and never less than there is: "1 hour 5 minutes". */
export function countdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  if (seconds < 120) return messages.seconds(seconds);
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return messages.minutes(minutes);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours < 24) return [messages.hours(hours), rest > 0 && messages.minutes(rest)].filter(Boolean).join(" ");
  const [days, restHours] = [Math.floor(hours / 24), hours % 24];
  return [messages.days(days), restHours > 0 && messages.hours(restHours)].filter(Boolean).join(" ");
}
