/** Loads a part of the page, and finds out why it could not be loaded. */
import { root } from './api.ts'

/** The part is not there: the service has another build of the page by now, or does not respond. */
export type NoPart = 'updated' | 'unreachable'

/** Loads a part of the page. */
export async function loadPart<T extends object>(load: () => Promise<T>): Promise<T | NoPart> {
  try {
    return await load()
  } catch {
    if (!(await isUpdated())) return 'unreachable'
  }
  // The files of the previous build stay available for a while.
  return load().catch(() => 'updated' as const)
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
