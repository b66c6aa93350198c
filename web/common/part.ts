/** Loads a part of the page, and finds out why it could not be loaded. */
import { root } from './api.ts'

/** The part is not there: the service has another build of the page by now, or does not respond. */
export type NoPart = 'updated' | 'unreachable'

/** Loads a part of the page. */
export async function loadPart<T extends object>(load: () => Promise<T>): Promise<T | NoPart> {
  try {
    return await load()
  } catch (error) {
    if (!(await isUpdated())) return (await loadAgain<T>(error)) ?? 'unreachable'
  }
  // The files of the previous build stay available for a while.
  return load().catch(() => 'updated' as const)
}

let attempts = 0

/**
 * Loads a script under an address of its own: Chromium remembers that one could not be loaded, and does not ask for it again.
 * @param error of the import, which names the script in most browsers
 */
async function loadAgain<T>(error: unknown): Promise<T | undefined> {
  const address = String(error)
    .split(' ')
    .find((word) => word.startsWith('http') && word.endsWith('.js'))
  if (address === undefined) return undefined
  attempts++
  return import(`${address}?attempt=${attempts}`).catch(() => undefined)
}

/** Whether the service responds with another build of the page. */
async function isUpdated(): Promise<boolean> {
  const name = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src.split('/').at(-1)
  try {
    const response = await fetch(root, { cache: 'no-store', signal: AbortSignal.timeout(10_000) })
    const html = response.ok ? await response.text() : ''
    // Anything else, e.g. the page of a proxy, is not the service.
    return name !== undefined && html.includes('id="app"') && !html.includes(name)
  } catch {
    return false
  }
}
