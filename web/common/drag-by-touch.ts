/** The drags that are made from touches. Few browsers have their own. */
export const touchDrags = { isRunning: false }

let isReady = false

/** Starts drags by touch after a long press, if there is a touch screen. Few browsers drag by anything but the mouse. */
export async function dragByTouch(): Promise<void> {
  if (isReady || navigator.maxTouchPoints === 0) return
  isReady = true
  // If the module cannot be loaded, menus still move everything that can be dragged.
  await import('./touch-drags.ts').catch(() => undefined)
}
