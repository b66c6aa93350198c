/** Reorders ideas by drag and drop. The menu does the same without a pointer. */
import { draggable, dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/adapter/element-adapter'
import { autoScrollWindowForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { attachClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge/attach-closest-edge'
import { extractClosestEdge } from '@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge/extract-closest-edge'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { dragByTouch } from '../common/drag-by-touch.ts'

const KIND = 'personal-idea'

type Side = 'top' | 'bottom'

const sideOf = (data: Record<string | symbol, unknown>): Side =>
  extractClosestEdge(data) === 'bottom' ? 'bottom' : 'top'

interface IdeaDrag {
  id: string
  row: RefObject<HTMLElement | null>
  /** The drag handle. Without it, the row is neither draggable nor a drop target. */
  handle: RefObject<HTMLElement | null>
  /** Called when another idea was dropped above or below this one. */
  onDrop: (dragged: string, side: Side) => void
}

/** Makes the row of an idea draggable. @returns the edge at which the dragged idea would be dropped now */
export function useIdeaDrag({ id, row, handle, onDrop }: IdeaDrag): Side | undefined {
  const [side, setSide] = useState<Side | undefined>()
  // Each rendering has a new `onDrop`, but the drop target must stay the same during a drag.
  const drop = useRef(onDrop)
  drop.current = onDrop
  useEffect(() => {
    const [element, dragHandle] = [row.current, handle.current]
    if (!element || !dragHandle) return
    const ends = [
      draggable({ element, dragHandle, getInitialData: () => ({ kind: KIND, id }) }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.kind === KIND && source.data.id !== id,
        getData: ({ input }) =>
          attachClosestEdge({ id }, { element, input, allowedEdges: ['top', 'bottom'] }),
        onDrag: ({ self }) => setSide(sideOf(self.data)),
        onDragLeave: () => setSide(undefined),
        onDrop: ({ self, source }) => {
          setSide(undefined)
          drop.current(String(source.data.id), sideOf(self.data))
        },
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [id, row, handle])
  return side
}

/** Sets up the page of ideas for drags. */
export function useDragging(): void {
  useEffect(() => {
    void dragByTouch()
    return autoScrollWindowForElements()
  }, [])
}
