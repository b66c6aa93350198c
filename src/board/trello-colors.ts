/** Trello's label colours, each light, plain and dark, since 2023. */
export const TRELLO_COLORS = {
  green: ['#baf3db', '#4bce97', '#1f845a'],
  yellow: ['#f8e6a0', '#f5cd47', '#946f00'],
  orange: ['#fedec8', '#fea362', '#c25100'],
  red: ['#ffd5d2', '#f87168', '#c9372c'],
  purple: ['#dfd8fd', '#9f8fef', '#6e5dc6'],
  blue: ['#cce0ff', '#579dff', '#0c66e4'],
  sky: ['#c6edfb', '#6cc3e0', '#227d9b'],
  lime: ['#d3f1a7', '#94c748', '#5b7f24'],
  pink: ['#fdd0ec', '#e774bb', '#ae4787'],
  black: ['#dcdfe4', '#8590a2', '#626f86'],
} as const

const partsOf = (color: string): number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))

/** The name of the most similar of these colours, without its shade; null for another notation than `#rrggbb`. */
export function trelloColor(color: string): string | null {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return null
  const own = partsOf(color)
  const distances = Object.entries(TRELLO_COLORS).flatMap(([name, shades]) =>
    shades.map((shade) => {
      const distance = partsOf(shade).reduce((sum, part, index) => sum + (part - (own[index] ?? 0)) ** 2, 0)
      return { name, distance }
    }),
  )
  return distances.reduce((best, one) => (one.distance < best.distance ? one : best)).name
}
