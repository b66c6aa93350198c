/** Reorders the rows of a list by drag and drop. A menu does the same without a pointer. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { attachClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge/attach-closest-edge'
import { extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge/extract-closest-edge'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { together } from './together.ts'

export type Side = 'top' | 'bottom'

const sideOf = (data: Record<string | symbol, unknown>): Side =>
  extractClosestEdge(data) === 'bottom' ? 'bottom' : 'top'

interface RowDrag {
  /** Rows of other lists cannot be dropped here. */
  list: string
  id: string
  row: RefObject<HTMLElement | null>
  /** The drag handle. Without it, the row is neither draggable nor a drop target. */
  handle: RefObject<HTMLElement | null>
  /** Called when another row was dropped above or below this one. */
  onDrop: (dragged: string, side: Side) => void
}

/** Makes a row draggable. @returns the edge at which the dragged row would be dropped now */
export function useRowDrag({ list, id, row, handle, onDrop }: RowDrag): Side | undefined {
  const [side, setSide] = useState<Side | undefined>()
  // Each rendering has a new `onDrop`, but the drop target must stay the same during a drag.
  const drop = useRef(onDrop)
  drop.current = onDrop
  useEffect(() => {
    const [element, dragHandle] = [row.current, handle.current]
    if (!element || !dragHandle) return
    return together(
      draggable({ element, dragHandle, getInitialData: () => ({ list, id }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.list === list && source.data.id !== id,
        getData: ({ input }) =>
          attachClosestEdge({ id }, { element, input, allowedEdges: ['top', 'bottom'] }),
        onDrag: ({ self }) => setSide(sideOf(self.data)),
        onDragLeave: () => setSide(undefined),
        onDrop: ({ self, source }) => {
          setSide(undefined)
          drop.current(String(source.data.id), sideOf(self.data))
        },
      }),
    )
  }, [list, id, row, handle])
  return side
}
