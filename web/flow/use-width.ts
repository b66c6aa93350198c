import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/**
 * The width of an element in pixels, kept current; 0 before it is known. Charts are drawn at this width, so that their text has
 * the page's font size.
 */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const node = element.current
    if (node === null) return
    setWidth(Math.floor(node.clientWidth))
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(node)
    return () => observer.disconnect()
  }, [element])
  return width
}
