/** Turns touches into the events of dragging. Loaded where there is a touch screen. */
import { enableDragDropTouch } from '@dragdroptouch/drag-drop-touch'

enableDragDropTouch(document, document, {
  isPressHoldMode: true,
  pressHoldDelayMS: 300,
  pressHoldMargin: 25,
  // Scrolling at the edges is done for both by the library that drags.
  allowDragScroll: false,
})
