let isReady = false

/** Makes touches drag after a long press, where there is a touch screen: browsers drag by the mouse alone, or nearly so. */
export async function dragByTouch(): Promise<void> {
  if (isReady || navigator.maxTouchPoints === 0) return
  isReady = true
  const { enableDragDropTouch } = await import('@dragdroptouch/drag-drop-touch')
  enableDragDropTouch(document, document, {
    isPressHoldMode: true,
    pressHoldDelayMS: 300,
    pressHoldMargin: 25,
    // Scrolling at the edges is done for both by the library that drags.
    allowDragScroll: false,
  })
}
