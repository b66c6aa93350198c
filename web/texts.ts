/** All English texts of the page. What stands in them comes in as it is, and is shown as text. */

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`

export const texts = {
  name: 'Phaseboard',
  documentTitle: (...parts: readonly string[]) => [...parts, 'Phaseboard'].join(' · '),
  skip: (to: string) => `Skip to ${to}`,
  cards: (number: number) => count(number, 'card', 'cards'),

  // What is done everywhere
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  edit: 'Edit',
  add: 'Add',
  delete: 'Delete',
  undo: 'Undo',
  discard: 'Discard',
  tryAgain: 'Try again',
  actions: (name: string) => `Actions for ${name}`,
  loading: 'Loading…',
  stillLoading: 'Still loading…',

  // Undo and failures
  undone: 'Undone.',
  nothingToUndo: 'There is nothing to undo.',
  cannotUndo: (kind: string, field: string | undefined) =>
    `Can't undo: ${field ? `the ${field}` : `the ${kind.replace(/^kanban-/, '')}`} was changed since.`,
  notUndone: (error: string) => `Can't undo: ${error}.`,
  notSaved: (error: string) => `Not saved: ${error}.`,
  notLoaded: 'Phaseboard could not load this page.',
  missingPage: 'There is no such page.',
  missingProject: 'There is no such project.',
  missingCard: 'There is no such card.',
  toProjects: 'Go to projects',
  updated: 'Phaseboard was updated. Reload to go on.',
  reload: 'Reload',
  readOnly: 'You can look at this board but not change it.',

  // Connection
  live: 'Live',
  liveHint: 'Changes of others show as they happen',
  connecting: 'Connecting…',
  lost: 'Connection lost, trying again',
  offline: 'Offline. You can keep working; changes are sent when the connection is back.',
  waiting: (number: number) => `${count(number, 'change is', 'changes are')} waiting.`,
  connected: 'Connected again.',

  // Navigation
  main: 'Main',
  projects: 'Projects',
  search: 'Search',
  mine: 'My work',
  ideas: 'Ideas',
  trash: 'Trash',
  account: 'Account',
  members: 'Members',
  teams: 'Teams',
  webhooks: 'Webhooks',
  audit: 'Audit log',
  more: 'More',
  menuOf: (name: string) => `Menu of ${name}`,
  apiDocs: 'API documentation',
  shortcuts: 'Keyboard shortcuts',

  signIn: {
    title: 'Sign in',
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    provider: 'Sign in with your organisation',
    ended: 'You have been signed out. Sign in to go on; nothing you typed is lost.',
    wrong: 'Wrong email or password.',
    tooMany: 'Too many attempts. Wait a minute and try again.',
    out: 'Sign out',
  },

  // The list of projects, making one
  projectList: {},

  // Bringing a board in
  imports: {},

  // A board
  board: {},

  // A card
  card: {},

  // The page of a project
  overview: {},

  // Flow
  flow: {},

  // The trash
  trashPage: {},

  // My work
  minePage: {},

  // Ideas
  ideaList: {},

  // Search
  find: {},

  // Account, members, teams, webhooks, audit log
  people: {},

  keys: {
    single: 'Single letters do something',
    groups: [
      {
        name: 'Everywhere',
        keys: [
          ['/', 'Search'],
          ['?', 'This list'],
          ['Ctrl+Z', 'Undo the last change'],
          ['g p', 'Go to projects'],
          ['g b', 'Go to the board'],
          ['g f', 'Go to flow'],
          ['g m', 'Go to my work'],
          ['g i', 'Go to ideas'],
          ['Escape', 'Close, or clear the filter'],
        ],
      },
      {
        name: 'On a board',
        keys: [
          ['f', 'Filter'],
          ['n', 'New card here'],
          ['↑ ↓ ← →', 'Go between cards, also k j h l'],
          ['Enter', 'Open the card'],
          ['Space', 'Pick up the card, drop it'],
          ['m', 'Move the card…'],
          ['e', 'Edit the title'],
          ['a', 'Assignee'],
          ['t', 'Labels'],
          ['p', 'Priority'],
          ['d', 'Due date'],
          ['x', 'Dismiss the card'],
        ],
      },
    ],
  },
} as const
