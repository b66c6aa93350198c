/** Colours that users choose. */

/**
 * The style of a `.chip`, or of any element that reads `--chip` in `background-color`. The data may hold any string as a
 * colour. An invalid one shows no colour, and nothing else of it gets into a style.
 */
export const chipColor = (color: string): Record<string, string> | undefined =>
  color !== '' && CSS.supports('color', color) ? { '--chip': color } : undefined
