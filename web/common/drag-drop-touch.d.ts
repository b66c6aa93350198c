/** What is used of the package, which has no types. */
declare module '@dragdroptouch/drag-drop-touch' {
  interface Options {
    isPressHoldMode?: boolean
    pressHoldDelayMS?: number
    pressHoldMargin?: number
    allowDragScroll?: boolean
  }

  /** Turns touches on draggable elements below the root into the events of dragging. */
  export function enableDragDropTouch(
    dragRoot?: Document | Element,
    dropRoot?: Document | Element,
    options?: Options,
  ): void
}
