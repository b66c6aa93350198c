/**
 * Turns touches into the events of dragging, from when it is imported. A module of our own, so that its file is named as those of
 * the page are.
 */
import { enableDragDropTouch } from '@dragdroptouch/drag-drop-touch'

enableDragDropTouch(document, document, {
  isPressHoldMode: true,
  pressHoldDelayMS: 300,
  pressHoldMargin: 25,
  // Scrolling at the edges is done for both by the library that drags.
  allowDragScroll: false,
})
