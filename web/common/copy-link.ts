/** Copies the address of something. */
import { texts } from '../texts.ts'
import { toast } from './toasts.ts'

/** Copies an address, or shows it where the clipboard is not available. @param path from the root of the host */
export async function copyLink(path: string): Promise<void> {
  const link = location.origin + path
  try {
    await navigator.clipboard.writeText(link)
    toast(texts.card.linkCopied)
  } catch {
    // The clipboard is forbidden, or the page does not use TLS.
    toast(texts.card.linkIs(link))
  }
}
