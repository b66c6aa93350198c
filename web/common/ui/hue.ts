/** Colours that follow from ids, so that people and projects look the same everywhere. */

/** The number of hues. Neighbours are 15 degrees apart, which the eye can tell. */
const HUES = 24

/** The hue of an id, in degrees. The style sheet adds lightness and chroma, with enough contrast in both schemes. */
export function hueOf(id: string): number {
  // FNV-1a, with a last step that spreads ids that differ in few letters.
  let hash = 2_166_136_261
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (((hash ^ (hash >>> 13)) >>> 0) % HUES) * (360 / HUES)
}
