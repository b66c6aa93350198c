/** All English texts of the page. What stands in them comes in as it is, and is shown as text. */
import { formatNumber } from './shared/dates.ts'

const count = (number: number, one: string, many: string) =>
  `${formatNumber(number)} ${number === 1 ? one : many}`

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
  kept: (time: string) => `Kept from ${time}, not saved yet.`,
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
    newTab: 'opens another tab; come back here afterwards',
    asGuest: 'Go on without signing in',
    out: 'Sign out',
  },

  // The list of projects, making one
  projectList: {},

  // Bringing a board in
  imports: {},

  // The head of a project's pages
  project: {
    one: 'Project',
    pages: 'Pages of the project',
    board: 'Board',
    overview: 'Overview',
    flow: 'Flow',
    deleted: (by: string | undefined) =>
      by ? `This project was deleted by ${by}.` : 'This project was deleted.',
  },

  // A board
  board: {
    empty: 'This board is empty. Press n to add the first card.',
    emptyColumn: 'No cards',
    noMatch: 'No card matches the filter.',
    columnTabs: 'Columns',
    countOf: (shown: number, all: number) => `${shown} of ${all}`,
    countShown: (shown: number, all: number) => `${shown} of ${count(all, 'card', 'cards')} shown`,
    limitOf: (limit: number) => `limit ${limit}`,
    full: 'Full',
    aboveLimit: 'Above limit',
    fullSaid: 'full',
    aboveLimitSaid: 'above it',

    filter: {
      name: 'Filter',
      text: 'Filter cards',
      label: 'Label',
      person: 'Person',
      priority: 'Priority',
      due: 'Due',
      all: 'All',
      none: 'None',
      me: 'Me',
      overdue: 'Overdue',
      today: 'Today',
      week: 'Next 7 days',
      noDue: 'No date',
      dismissed: 'Dismissed',
      clear: 'Clear filter',
    },

    priorities: { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' } as Record<
      string,
      string
    >,
    priorityOf: (name: string) => `Priority: ${name}`,
    isNew: 'New',
    isDismissed: 'Dismissed',
    isKept: 'Does not match the filter',
    isGone: 'Was deleted by somebody else',
    subtasksOf: (done: number, all: number) => `${done} of ${count(all, 'subtask', 'subtasks')} done`,
    labelsOf: 'Labels',
    due: (day: string) => `Due ${day}`,
    overdue: (day: string) => `Due ${day}, overdue`,
    overdueWord: 'Overdue',
    assignedTo: (name: string) => `Assigned to ${name}`,

    open: 'Open',
    moveDialog: 'Move…',
    moveTitle: (title: string) => `Move ${title}`,
    moveToTop: 'Move to top',
    moveUp: 'Move up',
    moveDown: 'Move down',
    moveToBottom: 'Move to bottom',
    column: 'Column',
    position: 'Position',
    move: 'Move',
    approve: 'Approve',
    dismiss: 'Dismiss',
    restore: 'Bring back',

    addTo: (column: string) => `Add a card to ${column}`,
    addAtTop: (column: string) => `Add a card at the top of ${column}`,
    addCard: 'Add a card',
    cardTitle: 'Card title',
    addColumn: 'Add column',
    columnName: 'Column name',

    renameColumn: 'Rename',
    columnSettings: 'Settings…',
    settingsOf: (column: string) => `Settings of ${column}`,
    limit: 'Limit of cards (0 for none)',
    policy: 'Above the limit',
    policies: { warn: 'Warn', block: 'Refuse' },
    stage: 'Stage of work',
    stages: { todo: 'To do', doing: 'In progress', done: 'Done' },
    stageByPlace: 'By its place on the board',
    color: 'Colour',
    noColor: 'None',
    moveLeft: 'Move left',
    moveRight: 'Move right',
    deleteColumn: 'Delete column',
    deleteTitle: (column: string) => `Delete ${column}`,
    moveItsCards: (number: number) => `Move its ${count(number, 'card', 'cards')} to`,

    moved: (column: string) => `Moved to ${column}.`,
    movedWithin: (column: string) => `Moved within ${column}.`,
    aboveNow: (column: string, cards: number, limit: number) =>
      `${column} is above its limit: ${cards} of ${limit}.`,
    isFull: (column: string, cards: number, limit: number, title: string, from: string) =>
      `${column} is full (${cards} of ${limit}). ${title} stays in ${from}.`,
    noRoom: (column: string, cards: number, limit: number) => `${column} is full (${cards} of ${limit}).`,
    wasDeleted: (title: string) => `${title} was deleted.`,
    added: (title: string) => `Added ${title}.`,
    approved: (title: string) => `Approved ${title}.`,
    dismissed: (title: string) => `Dismissed ${title}.`,
    restored: (title: string) => `Brought ${title} back.`,
    deletedCard: (title: string) => `Deleted ${title}.`,
    columnAdded: (name: string) => `Added ${name}.`,
    columnChanged: (name: string) => `Changed ${name}.`,
    columnRenamed: (name: string) => `Renamed to ${name}.`,
    columnMoved: (name: string) => `Moved ${name}.`,
    columnDeleted: (name: string) => `Deleted ${name}.`,

    // Said by screen readers
    pickedUp: (title: string, position: number, of: number, column: string) =>
      `Picked up ${title}. Position ${position} of ${of} in ${column}.`,
    nowAt: (position: number, of: number, column: string) => `Position ${position} of ${of} in ${column}.`,
    dropped: (title: string, from: string, to: string, position: number, of: number) =>
      `Moved ${title} from ${from} to ${to}, position ${position} of ${of}.`,
    notMoved: 'Not moved.',
  },

  // A card
  card: {},

  // The page of a project
  overview: {},

  // Flow
  flow: {
    title: (project: string) => `Flow of ${project}`,
    name: 'Flow',
    range: 'Range',
    ranges: { 30: '30 days', 90: '90 days', 182: 'Half a year', 365: 'A year', 1095: 'Three years' },
    other: 'Other dates',
    from: 'From',
    to: 'To',
    label: 'Label',
    person: 'Person',
    priority: 'Priority',
    all: 'All',
    nobody: 'Nobody',
    none: 'None',
    numbers: 'Show the numbers',
    saveSvg: 'Save as SVG',
    saveCsv: 'Save as CSV',
    more: (number: number) => `and ${count(number, 'more row', 'more rows')}, all of them in the CSV file`,
    days: (number: number) => count(Number(number.toFixed(1)), 'day', 'days'),
    work: 'Work in progress',
    workGrew: (from: string, to: string) => `Work in progress grew from **${from}** to **${to}**.`,
    workShrank: (from: string, to: string) => `Work in progress shrank from **${from}** to **${to}**.`,
    workStayed: (number: string) => `Work in progress is **${number}**, as it was at the beginning.`,
    cycleTimes: 'Cycle time',
    cycleTime: (half: string, most: string) =>
      `Half of the cards were done within **${half}**, 85 % within **${most}**.`,
    throughputs: 'Throughput',
    throughput: (number: string) => `**${number}** cards a week were finished on average.`,
    ages: 'Age of work in progress',
    age: (old: string, all: string) =>
      `**${old}** of ${all} cards in progress are older than 85 % of finished ones were.`,
    ageWithoutComparison: (all: string) =>
      `**${all}** cards are in progress; none is finished to compare them with.`,
    forecasts: 'Forecast',
    forecast: (remaining: string, date: string) =>
      `At this pace the remaining **${remaining}** cards are done by **${date}** (85 %).`,
    noForecast: 'Nothing was finished in this range, so there is no forecast.',
    nothingFinished: 'Nothing was finished in this range.',
    nothingInProgress: 'Nothing is in progress.',
    nothingRemains: 'Nothing is left to do.',
    nothingMoved: 'No card has passed a column in this range.',
    times: 'Time in each column',
    timeInColumn: (column: string, time: string) =>
      `Cards stay longest in ${column}: half of them for **${time}** or more.`,
    percentile: (percent: number, days: string) => `${percent} %: ${days}`,
    point: (title: string, days: string) => `${title}: ${days}`,
    heads: {
      day: 'Day',
      arrived: 'Arrived',
      finished: 'Finished',
      card: 'Card',
      started: 'Started',
      days: 'Days',
      week: 'Week',
      column: 'Column',
      above85: 'Above 85 %',
      remaining: 'Remaining',
      yes: 'yes',
      no: 'no',
    },
  },

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
