/** Colours that follow from ids, so that people and projects look the same everywhere. */

/** The number of hues. Neighbours are 15 degrees apart, which the eye can tell. */
const HUES = 24

/** The hue of an id, in degrees. The style sheet adds lightness and chroma, with enough contrast in both schemes. */
export function hueOf(id: string): number {
  let hash = 0
  for (let index = 0; index < id.length; index++) hash = (Math.imul(hash, 31) + id.charCodeAt(index)) >>> 0
  // The last bits alone would be those of the last letter.
  return ((hash ^ (hash >>> 13)) % HUES) * (360 / HUES)
}
