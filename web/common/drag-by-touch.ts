let isReady = false

/** Makes touches drag after a long press, where there is a touch screen: browsers drag by the mouse alone, or nearly so. */
export async function dragByTouch(): Promise<void> {
  if (isReady || navigator.maxTouchPoints === 0) return
  isReady = true
  // Where it cannot be loaded, everything that is dragged can be moved by its menu.
  await import('./touch-drags.ts').catch(() => undefined)
}
