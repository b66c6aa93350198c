/** A cleanup function. */
export type End = () => void

/** Combines cleanup functions. */
export const together =
  (...ends: readonly End[]): End =>
  () => {
    for (const end of ends) end()
  }
