/** The page of a project. */
export const projectPath = ({ id }: { id: string }): string => `/projects/${encodeURIComponent(id)}`;
