/** Turns the attachments of cards into links, within the API's limits. Data that a link cannot represent stays in the card's metadata. */
import {
  fileNameOf,
  LINK_LENGTH,
  nameOfLink,
  plainName,
  problemOfLink,
} from '../../board/attachment-names.ts'
import { ATTACHMENTS_LIMIT } from '../../board/attachments.ts'
import type { JsonObject } from '../../json.ts'
import type { SourceAttachment } from '../sources/source-board.ts'
import { isEmpty, oldestFirst } from '../sources/source-values.ts'
import { isBlank } from './names.ts'

/** The links of a card, and the data that they cannot represent. */
interface FittedLinks {
  /** Oldest first. */
  links: SourceAttachment[]
  /** By field of the card's `rest`. */
  rest: JsonObject
  /** Attachments without a URL that a link may have. */
  unlinked: number
  /** Attachments beyond the limit of an item. */
  surplus: number
}

/** A URL as browsers read it: some tools do not encode the spaces in names of files. */
const urlOf = (text: string) => text.trim().replaceAll(' ', '%20')

const isLink = (url: string) => url.length <= LINK_LENGTH && problemOfLink(url) === undefined

/** The name of a link; its URL without one. */
const nameFor = (name: string, url: string) =>
  isBlank(name) || name === url || plainName(name) === '' ? nameOfLink(url) : fileNameOf(name)

/** Fits the attachments of a card. */
export function fitLinks(attachments: readonly SourceAttachment[]): FittedLinks {
  const possible = attachments.flatMap((attachment) => {
    const url = urlOf(attachment.url)
    return isLink(url) ? [{ attachment, createdAt: attachment.createdAt, url }] : []
  })
  const chosen = oldestFirst(possible).slice(0, ATTACHMENTS_LIMIT)
  const fitted = new Map(
    chosen.map(({ attachment, url }) => [
      attachment,
      { ...attachment, url, name: nameFor(attachment.name, url) },
    ]),
  )
  const isWhole = ({ name, url }: SourceAttachment, link: SourceAttachment) =>
    link.name === name || name === '' || name === url
  const kept = new Map<string, unknown[]>()
  for (const attachment of attachments) {
    const link = fitted.get(attachment)
    const left = link && isWhole(attachment, link) ? attachment.rest : attachment.whole
    if (isEmpty(left)) continue
    const { field } = attachment
    const those = kept.get(field)
    if (those) those.push(left)
    else kept.set(field, [left])
  }
  return {
    links: [...fitted.values()],
    rest: Object.fromEntries(kept),
    unlinked: attachments.length - possible.length,
    surplus: possible.length - chosen.length,
  }
}
