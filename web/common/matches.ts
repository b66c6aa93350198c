/** Whether a name contains a typed text, in upper or lower case: how all lists are narrowed whose entries the page has. */
export const matches = (name: string, typed: string): boolean =>
  name.toLowerCase().includes(typed.trim().toLowerCase())
