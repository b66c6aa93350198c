/**
 * The texts of the page. The English ones are here, and load with the page. Each other language has its own file, which only
 * users of that language load. Values are inserted unchanged, and shown as text.
 */
import { formatNumber } from './common/dates.ts'
import { language } from './common/language.ts'
import type { auditEnglish } from './later-audit-texts.ts'
import type { importEnglish } from './later-import-texts.ts'
import type { laterEnglish } from './later-texts.ts'

const plurals = new Intl.PluralRules(language)

/** A number with the form of a word for it. */
const count = (number: number, one: string, other: string): string =>
  `${formatNumber(number)} ${plurals.select(number) === 'one' ? one : other}`

/** A sentence in pieces. Values are separate pieces, so that their text direction cannot reorder the rest. */
export type Sentence = readonly (string | { value: string })[]

const sentence = (words: TemplateStringsArray, ...values: readonly string[]): Sentence =>
  words.flatMap((word, index) => {
    const value = values[index]
    return [word, ...(value === undefined ? [] : [{ value }])].filter((piece) => piece !== '')
  })

/** The maximum length of a title in a message. */
const TITLE = 60

/** A title as part of a message: not longer than a line. */
function shortened(title: string): string {
  if (title.trim() === '') return texts.untitled
  const characters = [...title]
  if (characters.length <= TITLE) return title
  return `${characters
    .slice(0, TITLE - 1)
    .join('')
    .trimEnd()}…`
}

/** A title as part of a message, in quotes. */
const quoted = (title: string): string => `“${shortened(title)}”`

/** The functions for texts of every language. */
const helpers = { count, sentence, shortened, formatNumber }
export type TextHelpers = typeof helpers

const english = {
  name: 'Phaseboard',
  untitled: '(untitled)',
  inbox: 'Inbox',
  unread: (number: number) => `${formatNumber(number)} unread`,
  documentTitle: (...parts: string[]) => [...parts, 'Phaseboard'].join(' · '),
  skipToBoard: 'Skip to the board',
  skipToPage: 'Skip to the page',
  cards: (number: number) => count(number, 'card', 'cards'),
  /** A name of a field within a sentence. */
  inSentence: (name: string) => name.toLowerCase(),

  // Common to many pages
  fields: {
    name: 'Name',
    title: 'Title',
    description: 'Description',
    email: 'Email',
    password: 'Password',
    role: 'Role',
    status: 'Status',
    health: 'Health',
    kind: 'Kind',
    type: 'Type',
    team: 'Team',
    lead: 'Lead',
    person: 'Person',
    label: 'Label',
    priority: 'Priority',
    project: 'Project',
    column: 'Column',
  },
  filter: 'Filter',
  clearFilter: 'Clear filter',
  all: 'All',
  allProjects: 'All projects',
  none: 'None',
  nobody: 'Nobody',
  noTeam: 'No team',
  overdue: 'Overdue',
  colour: 'Colour',
  history: 'History',
  showMore: 'Show more',
  added: (what: string) => `Added ${what}.`,
  deleted: (what: string) => `Deleted ${what}.`,
  moved: (what: string) => `Moved ${what}.`,

  // Common actions
  open: 'Open',
  change: 'Change…',
  changeOf: (what: string) => `Change ${what}`,
  rename: 'Rename',
  restore: 'Restore',
  moveUp: 'Move up',
  moveDown: 'Move down',
  moveToTop: 'Move to top',
  moveToBottom: 'Move to bottom',
  save: 'Save',
  cancel: 'Cancel',
  close: 'Close',
  edit: 'Edit',
  add: 'Add',
  delete: 'Delete',
  undo: 'Undo',
  discard: 'Discard',
  changedMeanwhile: (theirs: string) =>
    `Someone changed this while you were editing, to: “${theirs}”. Save again to keep yours.`,
  allChangedMeanwhile: 'Someone changed this while you were editing. Save again to keep yours.',
  kept: (time: string) => `Draft from ${time}, not saved yet.`,
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
  redone: 'Redone.',
  nothingToRedo: 'There is nothing to redo.',
  cannotRedo: (kind: string, field: string | undefined) =>
    `Can't redo: ${field ? `the ${field}` : `the ${kind.replace(/^kanban-/, '')}`} was changed since.`,
  notRedone: (error: string) => `Can't redo: ${error}.`,
  notSaved: (error: string) => `Not saved: ${error}.`,
  notLoaded: 'Phaseboard could not load this page.',
  partFailed: (error: string) => `Not loaded: ${error.replace(/\.$/, '')}.`,
  missingPage: 'There is no such page.',
  missingProject: 'There is no such project.',
  missingCard: 'There is no such card.',
  toProjects: 'Go to projects',
  updated: 'Phaseboard was updated. Reload to continue.',
  partNotLoaded: 'This part of the page is not loaded yet. It loads when Phaseboard responds again.',
  reload: 'Reload',
  plainMarkdown: 'Too long or too deeply nested for Markdown: shown as plain text.',
  readOnly: 'You may only read this project.',

  // Looks and language
  appearance: {
    open: 'Appearance…',
    title: 'Appearance',
    theme: 'Colours',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    language: 'Language',
    languageHint: 'The page is loaded again. Drafts stay.',
    languageOfBrowser: 'As the browser',
  },

  // Connection
  live: 'Live',
  liveHint: 'Changes by others appear as they happen',
  connecting: 'Connecting…',
  lost: 'Connection lost, trying again',
  unreachable: 'Phaseboard does not respond. The page opens when it does.',
  offline: 'Offline. You can keep working; changes are sent when the connection is back.',
  waiting: (number: number) => `${count(number, 'change is', 'changes are')} waiting.`,
  connected: 'Connected again.',
  resumed: (number: number) => `Sent ${count(number, 'change', 'changes')} from before the reload.`,
  notResumed: (lines: readonly string[], more: number) =>
    `Not saved after the reload: ${lines.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
  notResumedOne: (message: string, reason: string) =>
    `${message ? message.replace(/\.$/, '') : 'a change'} (${reason})`,
  tooLate: 'more than a day has passed',

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
  shortcuts: 'Keyboard shortcuts',

  /** Actors who are not members. */
  actors: { 'command line': 'the command line', service: 'the service', 'another tool': 'another tool' },

  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    provider: 'Sign in with your organisation',
    ended: 'You have been signed out. Sign in to continue; nothing you typed is lost.',
    wrong: 'Wrong email or password.',
    tooMany: 'Too many attempts. Wait a minute and try again.',
    newTab: 'opens another tab; come back here afterwards',
    asGuest: 'Continue without signing in',
    out: 'Sign out',
  },

  // The page of a share link
  shared: {
    title: 'Shared board',
    readOnly: 'Shared with you, read-only.',
    gone: 'This link does not work: it was revoked or has expired, or the project was deleted.',
  },

  // The list of projects, and creating one
  projectList: {
    create: 'Create project',
    import: 'Import',
    none: 'No projects yet. Create one, or import a board.',
    noneYet: 'No projects yet.',
    noneForGuest: 'You are in no project yet. Ask the person who invited you.',
    noMatch: 'No project matches the filter.',
    projects: (number: number) => count(number, 'project', 'projects'),
    group: (status: string) => `${status} projects`,
    phase: (name: string, place: number, of: number) => (place > 0 ? `${name} ${place}/${of}` : name),
    health: (words: string) => `Health: ${words}`,
    lead: (name: string) => `Lead ${name}`,
    column: (name: string, number: string) => `${name} ${number}`,
    moreColumns: (number: number) => `+${number} more`,
    moreColumnsHint: (columns: string) => `Other columns: ${columns}`,
    progress: (name: string, done: string, total: string) => `${name}: ${done} of ${total} done`,
    accessHint: 'If only its people see it, you are the first of them.',
    archive: 'Archive',
    unarchive: 'Restore from archive',
    archived: (name: string) => `Archived ${name}.`,
    unarchived: (name: string) => `${name} is active again.`,
    phases: (names: string) => `Phases: ${names}`,
  },

  // The head of a project's pages
  project: {
    one: 'Project',
    pages: 'Pages of the project',
    board: 'Board',
    overview: 'Overview',
    flow: 'Flow',
    deleted: (by: string) => `This project was deleted by ${by}.`,
    isPrivate: 'Private',
    isPrivateHint: 'Only its people and its team see it',
    privateName: (name: string) => `${name} (private)`,
    wouldLose: 'you would no longer see this project. Assign yourself or your team first, or ask an admin',
    lost: 'You no longer see this project: its access was changed.',
  },

  // Actions of cards on all pages
  item: {
    isNew: 'New',
    isDismissed: 'Archived',
    approve: 'Approve',
    dismiss: 'Archive',
    moveTo: 'Move…',
    approved: (title: string) => `${quoted(title)} approved.`,
    dismissed: (title: string) => `${quoted(title)} archived.`,
    restored: (title: string) => `${quoted(title)} restored.`,
    moved: (title: string, column: string) => `${quoted(title)} moved to ${column}.`,
    movedWithin: (title: string, column: string) => `${quoted(title)} moved within ${column}.`,
    movedProject: (title: string, project: string) => `${quoted(title)} moved to the project ${project}.`,
    deleted: (title: string) => `${quoted(title)} deleted.`,
    /** Several cards in one message. */
    many: {
      approved: (number: number) => `${formatNumber(number)} cards approved.`,
      dismissed: (number: number) => `${formatNumber(number)} cards archived.`,
      restored: (number: number) => `${formatNumber(number)} cards restored.`,
      moved: (number: number) => `${formatNumber(number)} cards moved.`,
      deleted: (number: number) => `${formatNumber(number)} cards deleted.`,
    },
    wasDeleted: (title: string) => `${title} was deleted.`,

    moveTitle: (title: string) => `Move ${title}`,
    position: 'Position',
    positionOf: (position: number, after: string | undefined) =>
      after === undefined ? String(position) : `${position}, after ${after}`,
    top: 'Top',
    bottom: 'Bottom',
    move: 'Move',
  },

  // A board
  wip: {
    full: (column: string, of: readonly [cards: number, limit: number] | undefined) =>
      of === undefined ? `${column} is full.` : `${column} is full (${of[0]} of ${of[1]}).`,
    stays: (title: string, column: string) => `${title} stays in ${column}.`,
    above: (column: string, cards: number, limit: number) =>
      `${column} is above its limit: ${cards} of ${limit}.`,
  },

  board: {
    empty: 'This board is empty. Press n to add the first card.',
    emptyColumn: 'No cards',
    firstCard: 'Your first card will be here. Press n to write it.',
    hiddenCards: (number: number) => `The filter hides ${count(number, 'card', 'cards')}`,
    noMatch: 'No card matches the filter.',
    columnTabs: 'Columns',
    countOf: (shown: number, all: number) => `${shown} of ${all}`,
    countShown: (shown: number, all: number) => `${shown} of ${count(all, 'card', 'cards')} shown`,
    limitOf: (limit: number) => `limit ${limit}`,
    full: 'Full',
    aboveLimit: 'Above limit',
    fullLabel: 'full',
    aboveLimitLabel: 'above it',

    filter: {
      text: 'Filter cards',
      contains: (text: string) => `“${text}”`,
      remove: (value: string) => `Remove from the filter: ${value}`,
      narrow: (field: string) => `Find: ${field}`,
      due: 'Due',
      mine: 'Only mine',
      noPerson: 'Nobody',
      noLabel: 'No label',
      today: 'Today',
      week: 'Next 7 days',
      noDue: 'No date',
    },

    priorities: { low: 'Low', medium: 'Medium', high: 'High', critical: 'Critical' } as Record<
      string,
      string
    >,
    priorityOf: (name: string) => `Priority: ${name}`,
    isKept: 'Does not match the filter',
    isGone: 'Was deleted by somebody else',
    subtasksOf: (done: number, all: number) => `${done} of ${count(all, 'subtask', 'subtasks')} done`,
    labelsOf: 'Labels',
    moreLabels: (number: number) => `+${formatNumber(number)}`,
    hasDescription: 'Has a description',
    comments: (number: number) => count(number, 'comment', 'comments'),
    files: (number: number) => count(number, 'file', 'files'),
    due: (day: string) => `Due ${day}`,
    overdue: (day: string) => `Due ${day}, overdue`,
    assignedTo: (name: string) => `Assigned to ${name}`,

    addTo: (column: string) => `Add a card to ${column}`,
    addAtTop: (column: string) => `Add a card at the top of ${column}`,
    addCard: 'Add a card',
    cardTitle: 'Card title',
    quick: {
      create: (number: number) => `Create ${formatNumber(number)} cards`,
      join: 'Add as one card',
      added: (number: number) => `${formatNumber(number)} cards added.`,
      tooMany: (number: number, most: number) =>
        `At most ${formatNumber(most)} cards and labels can be added at once; these are ${formatNumber(number)}.`,
      tooLong: (most: number) => `A title has at most ${formatNumber(most)} characters.`,
      tokens: 'Recognised in the text',
      token: (kind: 'person' | 'label' | 'priority' | 'due', name: string) =>
        `${{ person: 'Assignee', label: 'Label', priority: 'Priority', due: 'Due' }[kind]} ${name}`,
      recognised: (what: string) => `Recognised: ${what}.`,
      isText: (what: string) => `${what} is text now.`,
      keepAsText: (what: string) => `${what}: keep as text`,
      suggestions: (number: number) => `${count(number, 'suggestion', 'suggestions')}.`,
    },
    addColumn: 'Add column',
    columnName: 'Column name',

    // The menu of a card, and the small pickers of its fields
    editTitle: 'Edit title',
    pickers: {
      assignee: 'Assignee',
      labels: 'Labels',
      due: 'Due date',
      priority: 'Priority',
      column: 'Column',
    },
    pickerOf: (field: string) => `${field}…`,
    fieldOf: (field: string, cards: string) => `${field}: ${cards}`,
    createLabel: (name: string) => `Create label “${name}”`,
    labelTooLong: (most: number) => `A label has at most ${formatNumber(most)} characters.`,
    noLabels: 'No labels yet. Type a name to create one.',
    noPriority: 'No such priority',
    noColumn: 'No such column',
    // Several cards
    many: {
      bar: 'Selected cards',
      selected: (number: number) => `${count(number, 'card', 'cards')} selected`,
      select: 'Select',
      selectOf: (title: string) => `Select ${title}`,
      deselect: 'Deselect',
      clear: 'Clear the selection',
      atMost: (number: number) => `At most ${number} cards can be selected.`,
      changed: (number: number) => `${count(number, 'card', 'cards')} changed.`,
      labelAdded: (name: string) => `Label ${name} added.`,
      labelRemoved: (name: string) => `Label ${name} removed.`,
      moved: (number: number, column: string) => `${count(number, 'card', 'cards')} moved to ${column}.`,
    },

    collapseOf: (column: string) => `Collapse ${column}`,
    expandOf: (column: string) => `Expand ${column}`,

    columnSettings: 'Settings…',
    settingsOf: (column: string) => `Settings of ${column}`,
    limit: 'Limit of cards (0 for none)',
    policy: 'Above the limit',
    policies: { warn: 'Warn', block: 'Refuse' },
    stage: 'Stage of work',
    stageByPlace: 'Automatic: “Done” by name; else the first is to do, the last done',
    stages: { todo: 'To do', doing: 'In progress', done: 'Done' },
    moveLeft: 'Move left',
    moveRight: 'Move right',
    deleteColumn: 'Delete column',
    deleteTitle: (column: string) => `Delete ${column}`,
    moveItsCards: (number: number) => `Move its ${count(number, 'card', 'cards')} to`,

    columnChanged: (name: string) => `Changed ${name}.`,
    columnRenamed: (name: string) => `Renamed to ${name}.`,

    // Announced by screen readers
    pickedUp: (title: string, position: number, of: number, column: string) =>
      `Picked up ${title}. Position ${position} of ${of} in ${column}.`,
    skipped: (columns: string) => `Collapsed: ${columns}.`,
    nowAt: (position: number, of: number, column: string) => `Position ${position} of ${of} in ${column}.`,
    dropped: (title: string, from: string, to: string, position: number, of: number) =>
      `Moved ${title} from ${from} to ${to}, position ${position} of ${of}.`,
    notMoved: 'Not moved.',
  },

  // A card
  files: {
    title: 'Files',
    attach: 'Attach files…',
    attachLink: 'Attach a link…',
    dropHere: 'Drop files here to attach them.',
    none: 'No files. Drop some here, or paste a picture into a text.',
    link: 'Link',
    url: 'Address',
    rename: 'Rename…',
    renameTitle: 'Rename the file',
    useAsCover: 'Use as cover',
    removeCover: 'Remove cover',
    isCover: 'Cover',
    waiting: 'Waiting…',
    progressOf: (name: string) => `Upload of ${shortened(name)}`,
    cancelOf: (name: string) => `Cancel the upload of ${shortened(name)}`,
    forgetOf: (name: string) => `Discard ${shortened(name)}`,
    notUploaded: (error: string) => `Not uploaded: ${error}`,
    unreadable: 'The file cannot be read any more. Choose it again.',
    attached: (name: string) => `${quoted(name)} attached.`,
    attachedTo: (name: string, title: string) => `${quoted(name)} attached to ${quoted(title)}.`,
    manyAttached: (number: number) => `${count(number, 'file', 'files')} attached.`,
    notAttached: (name: string, error: string) => `${quoted(name)} not attached: ${error}`,
    renamed: 'File renamed.',
    deleted: (name: string) => `${quoted(name)} deleted.`,
    coverSet: (title: string) => `Cover of ${quoted(title)} changed.`,
    coverRemoved: (title: string) => `Cover of ${quoted(title)} removed.`,
    uploading: (name: string) => `Uploading ${name}…`,
    download: 'Download',
    previous: 'Previous picture',
    next: 'Next picture',
    placeOf: (place: number, all: number) => `${formatNumber(place)} of ${formatNumber(all)}`,
  },

  card: {
    title: 'Title',
    description: 'Description',
    addDescription: 'Add a description',
    editDescription: 'Edit the description',
    assignee: 'Assignee',
    due: 'Due date',
    priority: 'Priority',
    source: 'Source',
    sources: {
      transcript: 'From a meeting',
      import: 'Imported',
    } as Readonly<Record<string, string>>,
    createdBy: (name: string) => `Created by ${name}`,
    claimed: (until: string) => `Claimed until ${until}`,
    editTitle: 'Edit the title',

    isNew: 'New: it was created automatically and waits for your approval.',
    isDismissed: 'This card is archived.',
    copyLink: 'Copy link',
    number: 'Number',
    linkCopied: 'Link copied.',
    linkIs: (link: string) => `The link: ${link}`,
    delete: 'Delete card',
    deletedBy: (name: string) => `This card was deleted by ${name}.`,
    toBoard: 'Go to the board',
    elsewhere: 'This card is in another project now.',
    openThere: 'Open it there',

    saved: (field: string, title: string) => `${field} of ${quoted(title)} changed.`,
    assigned: (title: string, name: string) => `${quoted(title)} assigned to ${name}.`,

    labels: 'Labels',
    chooseLabels: 'Choose labels',
    newLabel: 'New label',
    labelName: 'Label name',
    editLabel: (name: string) => `Edit the label ${name}`,
    deleteLabel: 'Delete label',
    labelChanged: (name: string) => `Label ${name} changed.`,
    labelDeleted: (name: string) => `Label ${name} deleted.`,

    subtasks: 'Subtasks',
    subtaskProgress: (ticked: number, all: number) => `${ticked} of ${all}`,
    newSubtask: 'New subtask',
    subtaskTitle: 'Subtask title',
    subtaskRenamed: 'Subtask renamed.',
    subtaskMoved: 'Subtask moved.',

    comments: 'Comments',
    newComment: 'New comment',
    comment: 'Comment',
    commentSubmit: 'Comment',
    commentHint: 'Ctrl+Enter sends.',
    commentOf: (name: string, when: string) => `Comment of ${name}, ${when}`,
    edited: 'edited',
    commentAdded: 'Comment added.',
    commentChanged: 'Comment changed.',
    commentDeleted: 'Comment deleted.',
    noComments: 'No comments yet.',

    undoEntry: (what: string) => `Undo: ${what}`,
    history: {
      created: sentence`created this card`,
      broughtBack: sentence`restored this card`,
      imported: sentence`imported this card`,
      importedFrom: (tool: string) => sentence`imported this card from ${tool}`,
      deleted: sentence`deleted this card`,
      moved: (from: string, to: string) => sentence`moved it from ${from} to ${to}`,
      movedProject: sentence`moved it to another project`,
      ordered: sentence`moved it within its column`,
      seen: sentence`viewed it`,
      titled: (from: string, to: string) => sentence`changed the title from ${from} to ${to}`,
      described: sentence`changed the description`,
      prioritised: (from: string, to: string) => sentence`changed the priority from ${from} to ${to}`,
      assigned: (to: string) => sentence`assigned it to ${to}`,
      unassigned: (from: string) => sentence`unassigned it from ${from}`,
      reassigned: (from: string, to: string) => sentence`reassigned it from ${from} to ${to}`,
      due: (to: string) => sentence`set the due date to ${to}`,
      dueMoved: (from: string, to: string) => sentence`moved the due date from ${from} to ${to}`,
      notDue: (from: string) => sentence`removed the due date ${from}`,
      approved: sentence`approved it`,
      unapproved: sentence`withdrew the approval`,
      dismissed: sentence`archived it`,
      restored: sentence`restored it`,
      claimed: sentence`claimed it`,
      released: sentence`ended the claim`,
      reminders: sentence`changed the reminders`,
      source: sentence`changed its source`,
      metadata: sentence`changed its metadata`,
      other: (type: string, content: string) => sentence`${type} ${content}`,
      label: {
        added: (name: string) => sentence`added the label ${name}`,
        removed: (name: string) => sentence`removed the label ${name}`,
        unknown: { added: sentence`added a label`, removed: sentence`removed a label` },
      },
      subtask: {
        added: (title: string) => sentence`added the subtask ${title}`,
        deleted: (title: string) => sentence`deleted the subtask ${title}`,
        renamed: (from: string, to: string) => sentence`renamed the subtask ${from} to ${to}`,
        ticked: sentence`ticked a subtask`,
        unticked: sentence`unticked a subtask`,
        ordered: sentence`moved the subtasks`,
      },
      comment: {
        created: sentence`commented`,
        updated: sentence`edited a comment`,
        deleted: sentence`deleted a comment`,
      },
      file: {
        added: (name: string) => sentence`attached ${name}`,
        renamed: (from: string, to: string) => sentence`renamed the file ${from} to ${to}`,
        deleted: (name: string) => sentence`deleted the file ${name}`,
        cover: sentence`chose a cover`,
        noCover: sentence`removed the cover`,
      },
    },
  },

  // Texts edited in place
  editing: {
    begin: (field: string) => `Edit: ${field}`,
    tools: 'Formatting',
    formats: {
      bold: 'Bold',
      italic: 'Italic',
      link: 'Link',
      list: 'List',
      tasks: 'Task list',
      code: 'Code',
      quote: 'Quote',
    },
    preview: 'Preview',
    noPreview: 'Nothing to preview',
    task: 'Task',
    notTicked: 'This task was not found. Edit the text to tick it.',
    saveHint: 'Ctrl+Enter saves. Esc closes, the draft stays.',
    unsaved: (time: string) => `Unsaved changes from ${time}.`,
    keepEditing: 'Keep editing',
    conflict: {
      text: (field: string, who = 'Someone') => `${who} changed the ${field} while you were editing.`,
      merge: 'Combine both',
      theirs: 'Theirs',
      yours: 'Yours',
      keepMine: 'Keep mine',
      takeTheirs: 'Take theirs',
      empty: 'Empty',
    },
  },

  // The overview of a project
  overview: {
    none: 'None yet',
    saved: (what: string) => `Saved: ${what}.`,

    about: 'About',
    name: 'Name',
    description: 'Description',
    nextStep: 'Next step',

    phases: 'Phases',
    phaseDone: 'done',
    inPhase: (name: string) => `Now in ${name}.`,
    foreignPhase: (name: string) => `The current phase is not in the list: ${name}.`,
    back: (name: string) => `Back to ${name}`,
    advance: (name: string) => `Advance to ${name}`,
    editPhases: 'Edit the phases',
    phase: (number: number) => `Phase ${number}`,
    addPhase: 'Add phase',
    up: (name: string) => `Move ${name} up`,
    down: (name: string) => `Move ${name} down`,
    remove: (name: string) => `Remove ${name}`,

    state: 'State',
    values: {
      status: { backlog: 'Backlog', active: 'Active', completed: 'Completed', archived: 'Archived' },
      health: { 'on-track': 'On track', 'at-risk': 'At risk', blocked: 'Blocked' },
      type: { technical: 'Technical', business: 'Business', custom: 'Custom' },
    },

    objectives: 'Objectives',
    addObjective: 'Add objective',
    objectiveStatus: { 'not-started': 'Not started', 'in-progress': 'In progress', completed: 'Completed' },
    statusOf: (title: string) => `Status of ${title}`,
    moveUp: 'Up',
    moveDown: 'Down',

    metrics: 'Metrics',
    addMetric: 'Add metric',
    value: 'Value',
    unit: 'Unit',
    unitHint: 'For example % or days.',
    category: 'Category',
    newValue: 'New value…',
    newValueOf: (name: string) => `New value of ${name}`,
    historyOf: (name: string) => `History of ${name}`,
    until: 'Until',
    now: 'Now',
    trends: { up: 'Rising', down: 'Falling', stable: 'Stable' },
    sparkline: (number: number, first: string, last: string, least: string, most: string) =>
      `${number} values, from ${first} to ${last}; lowest ${least}, highest ${most}`,

    transcripts: 'Transcripts',
    addTranscript: 'Add transcript',
    date: 'Date',
    participants: 'Participants',
    participantsHint: 'Names, separated by commas.',
    summary: 'Summary',
    actionItems: 'Action items',
    actionItemsHint: 'One per line. Each becomes a new card in To Do, to approve or archive.',
    actionsOf: (title: string) => `Action items of ${title}`,
    approve: (title: string) => `Approve ${title}`,
    dismiss: (title: string) => `Archive ${title}`,

    whoSees: 'Who sees this project',
    access: 'Access',
    accesses: { everyone: 'Everyone', assigned: 'Only its people' },
    everyoneSees: 'Every member sees it. Guests see it only if they are among its people.',
    assignedSee:
      'Only its people and its team see it, and admins. Who is assigned a card is not one of them by that alone.',
    teamSees: (team: string) => `Team ${team}: its members are among its people.`,
    people: 'People',
    addPerson: 'Add person',
    noPeople: 'Nobody has been added yet.',
    leads: (name: string) => `Lead: ${name}.`,
    makeLead: 'Make lead',
    roles: { lead: 'Lead', member: 'Member', viewer: 'Viewer' },
    rolesSay: {
      member: 'Can read and change everything in this project.',
      viewer: 'Can only read the board.',
    },
    otherRole: 'Another word…',
    otherRoleName: 'Which word',
    otherRoleHint: 'For example designer or reviewer.',
    roleOf: (name: string) => `Role of ${name}`,
    changeRole: 'Change role…',
    removePerson: 'Remove',
    removed: (name: string) => `Removed ${name}.`,

    shareLinks: 'Share links',
    sharers: 'Who may create them',
    sharersNamed: { members: 'Members', admins: 'Only admins', off: 'Nobody: links do not work' },
    shareHint:
      'Anybody with the address can read the board without signing in, but not its comments, history, transcripts and emails.',
    addShareLink: 'New share link',
    makeShareLink: 'Create link',
    shareName: 'Name (optional)',
    shareNameHint: 'The recipient, e.g. the client.',
    unnamedLink: 'Unnamed link',
    shareAddress: 'Address of the board',
    shareMade: (name: string) => `Share link: ${name}`,
    sharedSince: (from: string, until: string | undefined) =>
      until === undefined ? `Since ${from}, without an end` : `Since ${from}, until ${until}`,
    shareEnded: (from: string, until: string) => `Since ${from}, ended ${until}`,
    shareRevoked: 'Share link revoked: its address no longer works.',

    exports: 'Export',
    csv: 'Cards as CSV',
    cardsFor: (tool: string) => `Cards for ${tool}`,
  },

  // The trash
  trashPage: {
    titleOf: (project: string) => `Trash of ${project}`,
    hint: 'Deleted projects and cards can be restored, with everything in them.',
    none: 'Nothing has been deleted.',
    kinds: { project: 'Project', 'kanban-item': 'Card' },
    by: (name: string) => `Deleted by ${name}`,
    restoreOf: (title: string) => `Restore ${title}`,
  },

  // My work
  minePage: {
    none: 'No card is assigned to you.',
    groups: {
      overdue: 'Overdue',
      today: 'Today',
      week: 'This week',
      later: 'Later',
      none: 'No date',
    },
    overdue: (date: string) => `${date}, overdue`,
    done: (title: string) => `Done: ${title}`,
  },

  // Ideas
  ideaList: {
    hint: 'Only you see your ideas.',
    add: 'New idea',
    none: 'No ideas yet.',
    statuses: { idea: 'Idea', ready: 'Ready', promoted: 'Promoted', discarded: 'Discarded' },
    open: 'Open ideas',
    promoted: 'Promoted',
    discarded: 'Discarded',
    promote: 'Promote to a project',
    discard: 'Discard',
    reopen: 'Reopen',
    project: (name: string) => `Project: ${name}`,
    projectGone: 'You cannot see its project: it was deleted, or you have no access.',
    alreadyPromoted: (title: string) => `${title} is promoted already.`,
    promotedTo: (name: string) => `Promoted to ${name}.`,
    saved: 'Saved.',
    discardedOne: (title: string) => `Discarded ${title}.`,
    reopened: (title: string) => `Reopened ${title}.`,
    moved: (title: string, place: number, of: number) => `Moved ${title} to position ${place} of ${of}.`,
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
    allKinds: 'All kinds',
    failed: (error: string) => `Could not search: ${error}.`,
  },

  // Account, members, people, teams, webhooks, audit log
  people: {
    notYet: '…',
    somebody: 'somebody',
    nobodyFound: 'Nobody found',
    found: (number: number) => (number === 0 ? 'Nobody found' : `${count(number, 'choice', 'choices')}.`),
    sources: {
      trello: 'Trello',
      csv: 'Table (CSV)',
      planka: 'Planka',
      kanboard: 'Kanboard',
      jira: 'Jira',
      github: 'GitHub',
    },

    you: 'You',
    roles: { admin: 'Admin', member: 'Member', viewer: 'Viewer', guest: 'Guest' },
    rolesHint:
      'Admins manage people and see every project, members write, viewers read. Guests see only the projects whose people they are among, and those people.',
    nameSaved: 'Name saved.',
    currentPassword: 'Current password',
    newPassword: 'New password',
    optionalPassword: 'Password (optional)',
    passwordHint: 'At least 8 characters.',
    changePassword: 'Change password',
    passwordSaved: 'Password changed. You were signed out everywhere else.',
    noAccount: (name: string) =>
      `You are using Phaseboard as ${name}, without an account of your own: nobody has to sign in here. Sign in to have a name, a password and tokens, or to manage people as an admin.`,
    foreignAccount: (name: string) =>
      `You are ${name}. Your account is managed elsewhere: change your name and password there.`,

    sessions: 'Signed in',
    thisSession: 'This browser',
    usedAgo: (time: string) => `Last used ${time}`,
    sessionFrom: (from: string, to: string) => `Since ${from}; ends ${to} unless it is used`,
    endSession: 'End',
    endSessionOf: (from: string) => `End the session of ${from}`,
    sessionEnded: 'Session ended.',

    tokens: 'API tokens',
    token: 'Token',
    tokensHint: 'For scripts, agents and calendars: they act for you, within their scope.',
    newToken: 'New token',
    createToken: 'Create token',
    tokenMade: (name: string) => `Token ${name}`,
    tokenNameHint: 'What it is for, e.g. the script that uses it.',
    tokenList: 'Your tokens',
    tokenColumns: ['Name', 'Scope', 'Projects', 'Last used', 'Expires', 'Actions'],
    onlyProjects: 'Only these projects (none: all that you see)',
    onlyProjectsHint:
      'Such a token has no access to other projects and your ideas, and cannot create projects.',
    unseenProject: 'a project that you do not see',
    allProjects: 'All',
    scope: 'Scope',
    scopes: {
      read: 'Read what you can read',
      write: 'Read and write',
      calendar: 'Only your calendar',
    },
    scopeNames: { read: 'Read', write: 'Read and write', calendar: 'Calendar' },
    expires: 'Expires',
    expiresHint: 'At the end of this day; empty for never.',
    never: 'Never',
    expired: 'Expired',
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke ${name}`,
    revokeText: 'It stops working at once. This cannot be undone.',
    revoked: 'Token revoked.',
    calendar: 'Address for your calendar program',
    once: 'Copy it now: it is shown only once.',
    stored: 'I’ve saved it',
    copy: (what: string) => `Copy: ${what}`,
    copyShort: 'Copy',
    copied: 'Copied',

    forAdmins: 'This page is for admins.',
    deleteOf: (name: string) => `Delete ${name}`,

    memberColumns: ['Name', 'Email', 'Role', 'Sign-in', 'Actions'],
    addMember: 'Add member',
    deleteMemberText:
      'Their sessions and tokens end, and they leave their teams. What they created stays. This cannot be undone.',
    enabled: 'Allowed',
    disabled: 'Disabled',
    enable: 'Enable',
    disable: 'Disable',
    enabledNow: (name: string) => `${name} may sign in again.`,
    disabledNow: (name: string) => `${name} is disabled and signed out everywhere.`,
    resetPassword: 'Reset password…',
    resetOf: (name: string) => `Reset the password of ${name}`,
    resetText: 'All of their sessions end.',
    reset: 'Reset password',
    passwordReset: (name: string) => `Password of ${name} reset.`,
    invite: 'Invite',
    inviteText: 'The person who opens the link chooses a password and becomes a member.',
    optionalName: 'Name (optional)',
    optionalEmail: 'Email (optional)',
    optionalEmailHint: 'They sign in with it; if empty, they enter it themselves.',
    makeLink: 'Create link',
    passwordLink: 'Password link',
    passwordLinkOf: (name: string) => `Password link for ${name}`,
    invitationOf: (name: string | undefined) =>
      name === undefined ? 'Invitation' : `Invitation for ${name}`,
    link: 'Link',
    linkHint: 'It works once, for 24 hours. Anybody with the link can use it: share it privately.',
    openLinks: 'Active links',
    linkColumns: ['For', 'What', 'Role', 'Until', 'Actions'],
    linkKinds: { password: 'New password', invitation: 'Invitation' },
    anybody: 'Anyone',
    revokeLinkOf: (name: string) => `Revoke the link for ${name}`,
    linkRevoked: 'Link revoked.',
    savedOne: (name: string) => `Saved ${name}.`,
    lastAdmin: 'This is the last admin: make somebody else an admin first',

    others: 'Other people',
    othersHint:
      'People who are not members: from the application that contains Phaseboard, and from imported boards. Cards can be assigned to them, too.',
    noOthers: 'Everybody is a member.',
    findByName: 'Find by name',
    otherColumns: ['Name', 'From', 'Last seen', 'Actions'],
    ofHost: 'The application',
    choose: 'Choose a person.',
    isWho: 'Is the same as',
    mergeInto: 'Merge into…',
    merge: 'Merge',
    mergeOf: (name: string) => `Merge ${name}`,
    mergeText: (name: string) =>
      `Cards, projects, comments and ideas of ${name} will belong to the other person. This can be undone.`,
    merged: (name: string, into: string) => `${name} is ${into} now.`,
    forget: 'Forget…',
    forgetNow: 'Forget',
    forgetOf: (name: string) => `Forget ${name}`,
    forgetText:
      'Phaseboard removes the name everywhere, also from the history and the audit log, and shows “somebody” instead. Cards and comments stay, also those that mention the name. This cannot be undone.',
    forgotten: (name: string) => `${name} is forgotten.`,

    teamColumns: ['Name', 'Description', 'Members', 'Actions'],
    addTeam: 'Add team',
    noTeams: 'No teams yet.',
    membersOf: (name: string) => `Members of ${name}`,
    deleteTeamText: 'Its projects stay, without a team. This cannot be undone.',

    addWebhook: 'Add webhook',
    changeWebhook: 'Change webhook',
    deleteWebhook: 'Delete this webhook?',
    noWebhooks: 'No webhooks yet. A webhook sends each change to another service.',
    webhookSaved: 'Webhook saved.',
    webhookSecret: 'Secret of the webhook',
    secret: 'Signing secret',
    url: 'URL',
    urlHint: 'Where changes are sent: http or https, at a public address.',
    kindsLegend: 'Kinds of changes (none: all)',
    allKinds: 'All kinds of changes',
    kinds: {
      project: 'Projects',
      'kanban-item': 'Cards',
      'kanban-subtask': 'Subtasks',
      'kanban-comment': 'Comments',
      attachment: 'Attachments',
      'kanban-column': 'Columns',
      'kanban-label': 'Labels',
      'kanban-item-label': 'Labels of cards',
      'kanban-activity': 'Activity of cards',
      objective: 'Objectives',
      metric: 'Metrics',
      'transcript-summary': 'Transcripts',
      'team-assignment': 'People of projects',
      team: 'Teams',
      member: 'Members',
      person: 'People',
    },
    active: 'Active',
    inactive: 'Paused',
    failing: (since: string) => `Failing since ${since}`,
    pause: 'Pause',
    resume: 'Send again',
    sendTest: 'Send a test',
    test: 'Test',
    rotate: 'New secret…',
    rotateText: 'Deliveries are signed with the new secret from now on: the receiver needs it, too.',
    deliveries: 'Deliveries',
    noDeliveries: 'Nothing was sent yet.',
    deliveryColumns: ['Time', 'Change', 'Response', 'Duration', 'Message'],
    noAnswer: 'No response',
    milliseconds: (number: string) => `${number} ms`,
    replayNow: 'Send again from there',
    after: 'Changes after number',
    afterHint: (number: string) =>
      `Changes up to ${number} are delivered. A lower number sends later changes again.`,
    replayed: 'The changes are sent again.',

    auditColumns: ['Time', 'Actor', 'Action', 'Subject', 'Details', 'Address'],
    nobody: 'Unknown',
    /** Actors who are not members, by the service's names. */
    actors: { 'command line': 'Command line', service: 'The service' },
    onlyAction: 'Show',
    allActions: 'Everything',
    older: 'Show older',
    filterHint: 'This filters only the entries below.',
  },
} as const

/** The same texts in any language. */
type Words<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Said
    ? (...values: Values) => Words<Said>
    : { readonly [Key in keyof T]: Words<T[Key]> }

export type Texts = Words<typeof english>
export type LaterTexts = Words<typeof laterEnglish>
export type ImportTexts = Words<typeof importEnglish>
export type AuditTexts = Words<typeof auditEnglish>

/** The texts in the language of the page. Modules that import them wait for them. `later-texts.ts` has texts of parts that load later. */
export const texts: Texts = language === 'de' ? (await import('./texts.de.ts')).germanTexts(helpers) : english

/** For tests, which compare the languages. */
export const textsOf = { english, helpers }
