/**
 * The messages that chat tools accept at an incoming webhook, by their documentation: Slack (`text` in mrkdwn), Mattermost (the same shape, in
 * Markdown), Discord (`content`, at most 2,000 characters) and Teams (a workflow's Adaptive Card).
 */

/** The tools, as values of a webhook's `format`. */
export const CHAT_FORMATS = ['slack', 'discord', 'teams', 'mattermost'] as const
export type ChatFormat = (typeof CHAT_FORMATS)[number]

/** The kinds of changes that chats are told of. */
export const CHAT_KINDS: readonly string[] = ['kanban-item', 'kanban-comment']

/** A message: its parts are already written for the tool. */
export interface ChatMessage {
  /** What happened, in a line. */
  line: string
  /** What a person wrote about it; empty for nothing. */
  quote: string
  /** The address of the card; undefined without `PUBLIC_URL`. */
  url: string | undefined
  /** The label of a button that opens it. */
  open: string
}

/** How a tool writes texts. */
interface ChatTool {
  /** A text of a person, which must not be read as formatting, as a link, or as a mention of everybody. */
  escaped: (text: string) => string
  link: (escaped: string, url: string) => string
  body: (message: ChatMessage) => object
}

/** Discord's limit of a message, in characters. */
const LONGEST = 2000

/** Markdown's own characters, and those that begin a mention. */
const markdown = (text: string): string =>
  text.replaceAll(/[\\`*_~|<>[\]()#+\-!&]/g, '\\$&').replaceAll(/[@:]/g, '$&\u200b')

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ')

const lines = ({ line, quote }: ChatMessage): string => (quote === '' ? line : `${line}\n${quoted(quote)}`)

const markdownLink = (text: string, url: string): string => `[${text}](${url})`

/** How each tool writes. */
export const CHAT_TOOLS: Readonly<Record<ChatFormat, ChatTool>> = {
  slack: {
    // https://docs.slack.dev/messaging/formatting-message-text: only these three are special, `<!channel>` included.
    escaped: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    link: (text, url) => `<${url}|${text.replaceAll('|', '\u2502')}>`,
    body: (message) => ({ text: lines(message), unfurl_links: false, unfurl_media: false }),
  },
  mattermost: {
    escaped: markdown,
    link: markdownLink,
    body: (message) => ({ text: lines(message) }),
  },
  discord: {
    escaped: markdown,
    link: (text, url) => `[${text}](<${url}>)`,
    body: (message) => ({
      content: lines(message).slice(0, LONGEST).toWellFormed(),
      allowed_mentions: { parse: [] },
    }),
  },
  teams: {
    escaped: markdown,
    link: markdownLink,
    body: ({ line, quote, url, open }) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [line, quote]
              .filter((text) => text !== '')
              .map((text, index) => ({ type: 'TextBlock', text, wrap: true, isSubtle: index > 0 })),
            ...(url !== undefined && { actions: [{ type: 'Action.OpenUrl', title: open, url }] }),
          },
        },
      ],
    }),
  },
}

/** Whether a webhook sends messages to a chat. What another program has stored is the standard format. */
export const isChat = (format: string): format is ChatFormat => Object.hasOwn(CHAT_TOOLS, format)
