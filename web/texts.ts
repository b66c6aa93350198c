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
  projectList: {
    create: 'Create project',
    import: 'Import',
    none: 'No projects yet. Make one, or bring a Trello board along.',
    noneYet: 'No projects yet.',
    noMatch: 'No project matches the filter.',
    clear: 'Clear filter',
    projects: (number: number) => count(number, 'project', 'projects'),
    group: (status: string) => `${status} projects`,
    filter: 'Filter',
    status: 'Status',
    type: 'Type',
    team: 'Team',
    all: 'All',
    phase: (name: string, place: number, of: number) => (place > 0 ? `${name} ${place}/${of}` : name),
    health: (words: string) => `Health: ${words}`,
    lead: (name: string) => `Lead ${name}`,
    column: (name: string, number: string) => `${name} ${number}`,
    progress: (name: string, done: string, total: string) => `${name}: ${done} of ${total} done`,
    archive: 'Archive',
    unarchive: 'Restore from archive',
    up: 'Move up',
    down: 'Move down',
    archived: (name: string) => `Archived ${name}.`,
    unarchived: (name: string) => `${name} is active again.`,
    deleted: (name: string) => `Deleted ${name}.`,
    moved: (name: string) => `Moved ${name}.`,
    name: 'Name',
    description: 'Description',
    phases: (names: string) => `Phases: ${names}`,
    leadField: 'Lead',
    nobody: 'Nobody',
    noTeam: 'No team',
  },

  // Bringing a board in
  imports: {
    title: 'Import a board',
    file: 'File',
    choose: 'Choose a file, or drop it anywhere on the page.',
    drop: 'Drop the file to import it',
    format: 'Format',
    start: 'Import',
    again: 'Import it once more',
    another: 'Import another',
    sending: 'Sending the file…',
    waiting: 'Waiting for other imports…',
    reading: 'Reading the file…',
    writing: (done: string, total: string) => `Reading ${done} of ${total}…`,
    done: (name: string, columns: number, items: number) =>
      `Imported ${name}: ${count(columns, 'column', 'columns')}, ${count(items, 'card', 'cards')}.`,
    doneArchive: (records: string) => `Imported ${records} records.`,
    failed: (error: string) => `Not imported: ${error}. Nothing was changed.`,
    notes: 'What could not be taken over as it was',
    open: 'Open',
    progress: 'Progress of the import',
  },

  // A board
  board: {},

  // A card
  card: {},

  // The page of a project
  overview: {},

  // Flow
  flow: {},

  // The trash
  trashPage: {
    titleOf: (project: string) => `Trash of ${project}`,
    hint: 'Deleted projects and cards can be brought back, with all that belonged to them.',
    none: 'Nothing has been deleted.',
    kinds: { project: 'Project', 'kanban-item': 'Card' },
    by: (name: string | undefined) => (name === undefined ? 'Deleted by another tool' : `Deleted by ${name}`),
    restore: 'Restore',
    restoreOf: (title: string) => `Restore ${title}`,
    more: 'Show more',
  },

  // My work
  minePage: {
    none: 'Nothing is assigned to you.',
    groups: {
      overdue: 'Overdue',
      today: 'Today',
      week: 'This week',
      later: 'Later',
      none: 'No date',
    },
    overdue: (date: string) => `${date}, overdue`,
    done: (title: string) => `Done: ${title}`,
    moved: (column: string) => `Moved to ${column}.`,
  },

  // Ideas
  ideaList: {
    hint: 'Only you see your ideas.',
    add: 'New idea',
    none: 'No ideas yet.',
    open: 'Open ideas',
    promoted: 'Promoted',
    discarded: 'Discarded',
    title: 'Title',
    description: 'Description',
    priority: 'Priority',
    status: 'Status',
    unsaved: (time: string) => `Unsaved changes from ${time}. Keep editing or discard.`,
    top: 'Move to top',
    up: 'Move up',
    down: 'Move down',
    bottom: 'Move to bottom',
    promote: 'Promote to a project',
    discard: 'Discard',
    reopen: 'Reopen',
    project: (name: string) => `Project: ${name}`,
    projectGone: 'The project was deleted.',
    alreadyPromoted: (title: string) => `${title} is promoted already.`,
    promotedTo: (name: string) => `Promoted to ${name}.`,
    saved: 'Saved.',
    discardedOne: (title: string) => `Discarded ${title}.`,
    reopened: (title: string) => `Reopened ${title}.`,
    added: (title: string) => `Added ${title}.`,
    deleted: (title: string) => `Deleted ${title}.`,
    moved: (title: string, place: number, of: number) => `Moved ${title} to position ${place} of ${of}.`,
    openProject: 'Open',
  },

  // Search
  find: {
    results: (number: number) => (number === 0 ? 'Nothing found.' : `${count(number, 'result', 'results')}.`),
    manyResults: (number: number) => `The first ${number} results.`,
    all: 'Press Enter for all results.',
    hint: 'Words in projects, cards, comments, transcripts and your ideas.',
    kinds: {
      project: 'Project',
      'kanban-item': 'Card',
      'kanban-comment': 'Comment',
      'transcript-summary': 'Transcript',
      'personal-idea': 'Idea',
    },
    kindIn: (kind: string, project: string) => `${kind} in ${project}`,
    kind: 'Kind',
    project: 'Project',
    allKinds: 'All kinds',
    allProjects: 'All projects',
    failed: (error: string) => `Could not search: ${error}.`,
  },

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
