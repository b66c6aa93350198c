/** A card that moves goes to its new place in a short time, so that the eye can follow. Nothing moves under reduced motion. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

const TIMING = { duration: 120, easing: 'ease-out' } as const
/** The number of cards that move in one frame. More would be slow and restless. */
const MOST = 8

const still = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)')

let moving = 0

/** Whether one more card may move in this frame. */
function mayMove(): boolean {
  if (still?.matches) return false
  if (moving === 0) {
    requestAnimationFrame(() => {
      moving = 0
    })
  }
  moving++
  return moving <= MOST
}

interface MotionOptions {
  face: RefObject<HTMLElement | null>
  id: string
  /** The columns in which cards were shown last, which this updates. */
  columns: Map<string, string>
  column: string | undefined
  index: number
  sortOrder: number | undefined
  /** Whether it is dragged or picked up. Then the user moves it, and sees it at its place already. */
  isHeld: boolean
}

/** Animates a card when its place changes: from its former place in a column, or into another column. */
export function useMotion({ face, id, columns, column, index, sortOrder, isHeld }: MotionOptions): void {
  const known = useRef({ sortOrder, isHeld })
  const before = useRef<number | undefined>(undefined)
  const isMoved = sortOrder !== undefined && known.current.sortOrder !== sortOrder
  if (isMoved && !isHeld && !known.current.isHeld && mayMove()) {
    // The document still shows the former place.
    before.current = face.current?.getBoundingClientRect().top
  }
  known.current = { sortOrder, isHeld }
  useLayoutEffect(() => {
    const element = face.current
    const from = before.current
    before.current = undefined
    if (!element || from === undefined) return
    const by = from - element.getBoundingClientRect().top
    if (by !== 0) element.animate([{ transform: `translateY(${by}px)` }, { transform: 'none' }], TIMING)
  }, [index, sortOrder])
  useLayoutEffect(() => {
    if (column === undefined) return
    const former = columns.get(id)
    columns.set(id, column)
    if (former === undefined || former === column || !mayMove()) return
    face.current?.animate(
      [
        { opacity: 0.3, transform: 'translateY(-8px)' },
        { opacity: 1, transform: 'none' },
      ],
      TIMING,
    )
  }, [column])
}
