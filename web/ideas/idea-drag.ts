/** Sets up the page of ideas for drags. */
import { autoScrollWindowForElements } from '@atlaskit/pragmatic-drag-and-drop-auto-scroll/element'
import { useEffect } from 'preact/hooks'
import { dragByTouch } from '../common/drag-by-touch.ts'

export function useDragging(): void {
  useEffect(() => {
    void dragByTouch()
    return autoScrollWindowForElements()
  }, [])
}
