/** English texts of importing a board and of moving projects, which the first load does not contain, and no other page needs. */
import { type ImportTexts, texts, textsOf } from './texts.ts'

const { count, formatNumber } = textsOf.helpers

const english = {
  moves: {
    noRoom: 'Not moved: that would also move too many projects, or some that you may only read.',
  },

  imports: {
    title: 'Import a board',
    file: 'File',
    choose: 'Choose a file, or drop it anywhere on the page.',
    drop: 'Drop the file to import it',
    format: 'Format',
    anyFormat: 'By its content',
    columns: 'Columns of the table',
    noField: 'No field',
    unnamed: (column: number) => `Column ${column}`,
    fields: {
      title: 'Title',
      description: 'Description',
      column: 'Column',
      priority: 'Priority',
      assignee: 'Assignee',
      email: 'Email of the assignee',
      due: 'Due date',
      labels: 'Labels',
      subtasks: 'Subtasks',
      comments: 'Comments',
      created: 'Created',
      updated: 'Changed',
      done: 'Done',
      dismissed: 'Dismissed',
      parent: 'Parent',
      blockedBy: 'Blocked by',
      blocks: 'Blocks',
      relates: 'Related to',
      duplicates: 'Duplicate of',
      number: 'Number',
      id: 'Id',
    },
    matchNames: 'Match people by name',
    matchHint: 'People are always matched by email. A name is matched if only one person here has it.',
    people: 'People',
    found: (found: number, others: number) =>
      others === 0
        ? 'All of them are people here.'
        : found === 0
          ? 'None of them is a person here: only their names are kept.'
          : `${count(found, 'of them is a person', 'of them are people')} here. Of ${others === 1 ? 'the other one' : `the other ${formatNumber(others)}`} only the name is kept.`,
    has: (cards: number, comments: number, attachments: number) =>
      [
        ...(cards > 0 ? [count(cards, 'card', 'cards')] : []),
        ...(comments > 0 ? [count(comments, 'comment', 'comments')] : []),
        ...(attachments > 0 ? [count(attachments, 'attachment', 'attachments')] : []),
      ].join(', '),
    matched: { map: 'your choice', id: 'same id', email: 'same email', name: 'same name' },
    isNow: (name: string) => `is ${name}`,
    stays: 'Keep only the name',
    whoIs: (name: string) => `Who is ${name}`,
    undoMerge: (name: string) => `Undo: who is ${name}`,
    morePeople: (number: number) => `and ${formatNumber(number)} more`,
    start: 'Import',
    again: 'Import again',
    another: 'Import another',
    otherFile: 'Choose another file',
    before: (name: string) => `it was imported before, as “${name}”`,
    sending: 'Sending the file…',
    waiting: 'Waiting for other imports…',
    reading: 'Reading the file…',
    writing: (done: string, total: string) => `Reading ${done} of ${total}…`,
    wait: (seconds: string) => `Changes by anyone wait, for up to ${seconds} s or so.`,
    done: (name: string, columns: number, items: number) =>
      `Imported ${name}: ${count(columns, 'column', 'columns')}, ${count(items, 'card', 'cards')}.`,
    doneArchive: (records: string) => `Imported ${records} records.`,
    failed: (error: string) => `Not imported: ${error}. Nothing was changed.`,
    notes: 'What could not be imported unchanged',
    progress: 'Progress of the import',
  },
} as const

/** For tests, which compare the languages, and for the types of the others. */
export const importEnglish = english

/** The texts in the language of the page. */
export const { imports, moves }: ImportTexts =
  'imports' in texts ? (texts as typeof texts & ImportTexts) : english
