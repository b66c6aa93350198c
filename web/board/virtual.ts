/** Virtual scrolling of long columns: only cards near the viewport are rendered. Only this module uses the library. */
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from '@tanstack/virtual-core'
import type { RefObject } from 'preact'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

/** A rendered card and its position. */
export interface Row {
  id: string
  index: number
  /** Pixels from the top of the list; undefined if all cards are rendered. */
  top: number | undefined
}

export interface Rows {
  rows: readonly Row[]
  /** The height of the list in pixels; undefined for its natural height. */
  height: number | undefined
  /** Measures a card, if needed. */
  measure: ((element: HTMLLIElement | null) => void) | undefined
}

interface VirtualOptions {
  ids: readonly string[]
  /** Whether to render only the cards near the viewport. */
  isVirtual: boolean
  scroller: RefObject<HTMLElement | null>
  /** Cards that must stay rendered. Removing them would end a touch drag or lose the focus. */
  keep: readonly string[]
}

/** The assumed height of a card that was not rendered yet, with its gap, in pixels. */
const ESTIMATE = 84
/** The number of rendered cards beyond the viewport. */
const OVERSCAN = 4

/** The cards of a column that are rendered. */
export function useRows({ ids, isVirtual, scroller, keep }: VirtualOptions): Rows {
  const [, render] = useReducer((count: number, _: undefined) => count + 1, 0)
  const kept = keep.map((id) => ids.indexOf(id)).filter((index) => index !== -1)
  const options = {
    count: isVirtual ? ids.length : 0,
    enabled: isVirtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATE,
    getItemKey: (index: number) => ids[index] ?? index,
    overscan: OVERSCAN,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) =>
      [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b),
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render(undefined),
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLLIElement>(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => virtualizer._willUpdate())
  if (!isVirtual) {
    return {
      rows: ids.map((id, index) => ({ id, index, top: undefined })),
      height: undefined,
      measure: undefined,
    }
  }
  return {
    rows: virtualizer
      .getVirtualItems()
      .map(({ index, start }) => ({ id: ids[index] ?? '', index, top: start })),
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
  }
}
