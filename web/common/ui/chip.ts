/** Colours that come from people. */

/**
 * The style of a `.chip`, or of anything that reads `--chip` by `background-color`. A colour is any string in the data: what is none shows
 * no colour, and nothing else of it gets into a style.
 */
export const chipColor = (color: string): Record<string, string> | undefined =>
  color !== '' && CSS.supports('color', color) ? { '--chip': color } : undefined
