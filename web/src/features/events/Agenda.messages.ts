export const agendaMessages = {
  agendaOf: (event: string) => `Agenda: ${event}`,
} as const;
