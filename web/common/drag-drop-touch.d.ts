/** Types of the parts of the package that we use. The package has none. */
declare module '@dragdroptouch/drag-drop-touch' {
  interface Options {
    isPressHoldMode?: boolean
    pressHoldDelayMS?: number
    pressHoldMargin?: number
    allowDragScroll?: boolean
  }

  /** Turns touches on draggable elements below the root into drag events. */
  export function enableDragDropTouch(
    dragRoot?: Document | Element,
    dropRoot?: Document | Element,
    options?: Options,
  ): void
}
