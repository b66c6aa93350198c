/** Shows the files of a rendered text: pictures, and links. Those of other cards stay text. */
import { contentOf } from './addresses.ts'
import type { ItemFiles } from './item-files.ts'
import { isPicture, linkOf } from './kinds.ts'

/** The places of files, as the renderer writes them. */
const PLACES = '[data-attachment]'

/** The ids of the attachments that a rendered text names. */
export const filesIn = (nodes: ParentNode): string[] => [
  ...new Set([...nodes.querySelectorAll<HTMLElement>(PLACES)].map(({ dataset }) => dataset.attachment ?? '')),
]

function pictureLink(id: string, name: string): HTMLAnchorElement {
  const link = document.createElement('a')
  link.href = contentOf(id)
  link.target = '_blank'
  link.title = name
  return link
}

/** Fills the places of files in a rendered text. It can be repeated when files change. */
export function fillFiles(element: ParentNode, files: ItemFiles): void {
  for (const place of element.querySelectorAll<HTMLElement>(PLACES)) {
    const { attachment: id = '', picture } = place.dataset
    const file = files.find(id)
    const filled = place.querySelector(':scope > a')
    if (file === undefined) {
      if (filled?.querySelector('img')) place.textContent = place.dataset.picture ?? ''
      else if (filled) filled.replaceWith(...filled.childNodes)
      continue
    }
    if (filled) continue
    if (picture !== undefined && isPicture(file)) {
      const link = pictureLink(id, file.name)
      const image = document.createElement('img')
      image.alt = picture || file.name
      image.loading = 'lazy'
      // Dropped on the card, its file would be attached again.
      image.draggable = false
      // The place is as large as the picture before that has loaded.
      if (file.width) image.width = file.width
      if (file.height) image.height = file.height
      image.src = contentOf(id)
      link.append(image)
      link.onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        files.view(id)
      }
      place.replaceChildren(link)
      continue
    }
    const link = document.createElement('a')
    const url = linkOf(file)
    link.href = url ?? contentOf(id)
    if (url === undefined) link.download = file.name
    else {
      link.target = '_blank'
      link.rel = 'noopener noreferrer nofollow'
    }
    link.append(...place.childNodes)
    if (link.textContent === '') link.textContent = file.name
    place.replaceChildren(link)
  }
}
