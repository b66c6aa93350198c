/** All English texts of the page. What stands in them comes in as it is, and is shown as text. */
import { formatNumber } from './shared/dates.ts'

const count = (number: number, one: string, many: string) =>
  `${formatNumber(number)} ${number === 1 ? one : many}`

/** A sentence in pieces: values stand apart, so that whatever is in them cannot reorder the rest. */
export type Sentence = readonly (string | { value: string })[]

const said = (words: TemplateStringsArray, ...values: readonly string[]): Sentence =>
  words.flatMap((word, index) => {
    const value = values[index]
    return [word, ...(value === undefined ? [] : [{ value }])].filter((piece) => piece !== '')
  })

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
  card: {
    unknownActor: 'Another tool',
    title: 'Title',
    description: 'Description',
    addDescription: 'Add a description',
    editDescription: 'Edit the description',
    column: 'Column',
    assignee: 'Assignee',
    nobody: 'Nobody',
    due: 'Due date',
    overdue: 'Overdue',
    priority: 'Priority',
    priorities: { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' } as Readonly<
      Record<string, string>
    >,
    source: 'Source',
    sources: {
      manual: 'Made by hand',
      transcript: 'From a meeting',
      import: 'Imported',
    } as Readonly<Record<string, string>>,
    claimed: (until: string) => `Claimed until ${until}`,
    editTitle: 'Edit the title',
    saveHint: 'Ctrl+Enter saves, Escape leaves it for later.',
    unsaved: (time: string) => `Unsaved changes from ${time}.`,
    keepEditing: 'Keep editing',

    isNew: 'New: it came from elsewhere and waits for your approval.',
    approve: 'Approve',
    approved: 'Approved.',
    dismiss: 'Dismiss',
    dismissed: 'Dismissed.',
    isDismissed: 'This card is dismissed.',
    restore: 'Restore',
    restored: 'Restored.',
    move: 'Move…',
    moveTitle: (title: string) => `Move ${title}`,
    moveSubmit: 'Move',
    project: 'Project',
    position: 'Position',
    top: 'Top',
    bottom: 'Bottom',
    after: (title: string) => `After ${title}`,
    copyLink: 'Copy link',
    linkCopied: 'Link copied.',
    linkIs: (link: string) => `The link: ${link}`,
    delete: 'Delete card',
    deleted: 'Card deleted.',
    deletedBy: (name: string) => `This card was deleted by ${name}.`,
    toBoard: 'Go to the board',
    elsewhere: 'This card is in another project now.',
    openThere: 'Open it there',

    moved: (column: string) => `Moved to ${column}.`,
    movedProject: (project: string) => `Moved to the project ${project}.`,
    saved: (field: string) => `${field} changed.`,
    assigned: (name: string) => `Assigned to ${name}.`,
    isFull: (column: string, limit: string, title: string, from: string) =>
      `${column} is full${limit}. ${title} stays in ${from}.`,
    isAbove: (column: string, count: number, limit: number) =>
      `${column} is above its limit: ${count} of ${limit}.`,

    conflict: {
      text: (field: string) => `Someone changed the ${field} while you were editing.`,
      theirs: 'Theirs',
      yours: 'Yours',
      keepMine: 'Keep mine',
      takeTheirs: 'Take theirs',
      keepEditing: 'Keep editing',
      empty: 'Empty',
    },

    labels: 'Labels',
    noLabels: 'None',
    chooseLabels: 'Choose labels',
    newLabel: 'New label',
    labelName: 'Label name',
    colour: 'Colour',
    editLabel: (name: string) => `Edit the label ${name}`,
    deleteLabel: 'Delete label',
    removeLabel: (name: string) => `Remove the label ${name}`,
    labelAdded: (name: string) => `Label ${name} added.`,
    labelRemoved: (name: string) => `Label ${name} removed.`,
    labelMade: (name: string) => `Label ${name} made.`,
    labelChanged: (name: string) => `Label ${name} changed.`,
    labelDeleted: (name: string) => `Label ${name} deleted.`,

    subtasks: 'Subtasks',
    subtaskProgress: (ticked: number, all: number) => `${ticked} of ${all}`,
    newSubtask: 'New subtask',
    subtaskTitle: 'Subtask title',
    rename: 'Rename',
    up: 'Move up',
    down: 'Move down',
    ticked: (title: string) => `Ticked ${title}.`,
    unticked: (title: string) => `No longer ticked: ${title}.`,
    subtaskAdded: (title: string) => `Added ${title}.`,
    subtaskRenamed: 'Subtask renamed.',
    subtaskMoved: 'Subtask moved.',
    subtaskDeleted: (title: string) => `Deleted ${title}.`,
    notAdded: 'These may not have been added:',
    addAgain: 'Add',

    comments: 'Comments',
    newComment: 'New comment',
    comment: 'Comment',
    commentSubmit: 'Comment',
    commentOf: (name: string, when: string) => `Comment of ${name}, ${when}`,
    edited: 'edited',
    commentAdded: 'Comment added.',
    commentChanged: 'Comment changed.',
    commentDeleted: 'Comment deleted.',
    noComments: 'No comments yet.',

    historyTitle: 'History',
    showMore: 'Show more',
    undoEntry: (what: string) => `Undo: ${what}`,
    history: {
      created: said`made this card`,
      broughtBack: said`brought this card back`,
      deleted: said`deleted this card`,
      moved: (from: string, to: string) => said`moved it from ${from} to ${to}`,
      movedProject: said`moved it to another project`,
      ordered: said`moved it within its column`,
      seen: said`looked at it`,
      titled: (from: string, to: string) => said`changed the title from ${from} to ${to}`,
      described: said`changed the description`,
      prioritised: (from: string, to: string) => said`changed the priority from ${from} to ${to}`,
      assigned: (to: string) => said`assigned it to ${to}`,
      unassigned: (from: string) => said`took it from ${from}`,
      reassigned: (from: string, to: string) => said`handed it from ${from} to ${to}`,
      due: (to: string) => said`set the due date to ${to}`,
      dueMoved: (from: string, to: string) => said`moved the due date from ${from} to ${to}`,
      notDue: (from: string) => said`took the due date ${from} away`,
      approved: said`approved it`,
      unapproved: said`took the approval back`,
      dismissed: said`dismissed it`,
      restored: said`restored it`,
      claimed: said`claimed it`,
      released: said`ended the claim`,
      metadata: said`changed its metadata`,
      other: (type: string, content: string) => said`${type} ${content}`,
      label: {
        added: (name: string) => said`added the label ${name}`,
        removed: (name: string) => said`removed the label ${name}`,
        unknown: { added: said`added a label`, removed: said`removed a label` },
      },
      subtask: {
        added: (title: string) => said`added the subtask ${title}`,
        deleted: (title: string) => said`deleted the subtask ${title}`,
        renamed: (from: string, to: string) => said`renamed the subtask ${from} to ${to}`,
        ticked: said`ticked a subtask`,
        unticked: said`unticked a subtask`,
        ordered: said`moved the subtasks`,
      },
      comment: {
        created: said`commented`,
        updated: said`edited a comment`,
        deleted: said`deleted a comment`,
      },
    },
  },

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
