/**
 * English texts of parts that are loaded later, so that the first load does not contain them. The other languages have them
 * under the same names in their files.
 */
import type { DateWords } from './common/date-words.ts'
import { type LaterTexts, texts, textsOf } from './texts.ts'

const { count, sentence, shortened } = textsOf.helpers

const english = {
  notAdded: 'These may not have been added:',

  assignees: {
    all: 'Assignees',
    another: 'Another assignee',
    several: 'Several people',
    remove: (name: string) => `Unassign ${name}`,
    removed: (title: string, name: string) => `“${shortened(title)}” no longer assigned to ${name}.`,
    // In the history
    alsoAdded: (to: string) => sentence`also assigned it to ${to}`,
    alsoRemoved: (from: string) => sentence`removed ${from} from its assignees`,
    changed: (from: string, to: string) =>
      sentence`also assigned it to ${to}, and removed ${from} from its assignees`,
  },

  // Fields of dates
  dates: {
    calendar: 'Calendar',
    calendarOf: (field: string) => `Calendar: ${field}`,
    previous: 'Previous month',
    next: 'Next month',
    examples: { day: 'tomorrow, 24 Dec', time: 'tomorrow, fri 17:30', past: 'yesterday, 24 Dec' },
    hints: {
      day: 'For example tomorrow, fri, in 3 days or 24 Dec.',
      time: 'For example tomorrow, fri 17:30, in 3 days or 24 Dec.',
      past: 'For example today, yesterday, mon or 24 Dec.',
    },
    notADate: 'Not a date.',
    onlyADay: 'Only a day, without a time.',
    earliest: (day: string) => `Not before ${day}.`,
    latest: (day: string) => `Not after ${day}.`,
    usual: { today: 'Today', tomorrow: 'Tomorrow', friday: 'Friday', nextWeek: 'Next week' },
    /** The words that a field understands, besides the names of weekdays and months. */
    words: {
      yesterday: ['yesterday'],
      today: ['today'],
      tomorrow: ['tomorrow', 'tmr'],
      afterTomorrow: ['day after tomorrow'],
      nextWeek: ['next week'],
      days: ['days'],
      weeks: ['weeks'],
      before: ['in'],
      at: ['at'],
      oClock: ["o'clock"],
    } as DateWords,
  },

  // One-time links
  link: {
    title: 'One-time link',
    welcome: 'Welcome to Phaseboard',
    newPassword: 'Choose a new password',
    unusable: 'This link was used already, has expired or was revoked. Ask an admin for a new one.',
    invited: (role: string) => `You are invited. Role: ${role}.`,
    forMember: (name: string) => `For ${name}. All your other sessions end, and you are signed in here.`,
    email: (email: string) => `You sign in with ${email}.`,
    join: 'Join',
    setPassword: 'Set password',
    until: (time: string) => `The link works once, until ${time}.`,
  },

  // Webhooks to chats
  chat: {
    format: 'Format',
    standard: 'Signed changes, for programs',
    formatHint: 'For a chat, enter the URL of its incoming webhook, and keep it secret.',
    eventsLegend: 'What a chat is told of (none: all)',
    events: {
      created: 'Created',
      moved: 'Moved',
      finished: 'Finished',
      assigned: 'Assigned',
      commented: 'Commented',
      due: 'Due date',
    },
    language: 'Language of messages to a chat',
  },

  flow: {
    title: (project: string) => `Flow of ${project}`,
    name: 'Flow',
    range: 'Range',
    ranges: { 30: '30 days', 90: '90 days', 182: 'Half a year', 365: 'A year', 1095: 'Three years' },
    other: 'Other dates',
    from: 'From',
    to: 'To',
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
    throughput: (number: string) =>
      `**${number}** ${number === '1' ? 'card a week was' : 'cards a week were'} finished on average.`,
    ages: 'Age of work in progress',
    age: (old: string, all: string) =>
      `**${old}** of ${all} ${all === '1' ? 'card' : 'cards'} in progress ${old === '1' ? 'is' : 'are'} older than 85 % of finished ones were.`,
    ageWithoutComparison: (all: string) =>
      all === '1'
        ? '**1** card is in progress; none is finished to compare it with.'
        : `**${all}** cards are in progress; none is finished to compare them with.`,
    forecasts: 'Forecast',
    forecast: (remaining: string, date: string) =>
      `At this pace the remaining **${remaining}** ${remaining === '1' ? 'card is' : 'cards are'} done by **${date}** (85 %).`,
    noForecast: 'Nothing was finished in this range, so there is no forecast.',
    tooFewForForecast: (finished: string, least: string) =>
      `A forecast needs at least ${least} finished cards; in this range there ${finished === '1' ? 'is' : 'are'} **${finished}**.`,
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

  /** The default phases of projects, by the service's names. */
  phases: {
    Discovery: 'Discovery',
    Design: 'Design',
    Development: 'Development',
    Testing: 'Testing',
    Deployment: 'Deployment',
    Planning: 'Planning',
    Execution: 'Execution',
    Review: 'Review',
    Close: 'Close',
    'In Progress': 'In Progress',
    Complete: 'Complete',
  } as Readonly<Record<string, string>>,

  // Notifications
  attention: {
    unread: (number: number) => count(number, 'unread notification', 'unread notifications'),
    show: 'Show',
    onlyUnread: 'Unread',
    everything: 'All',
    none: 'No notifications.',
    noneUnread: 'Nothing unread.',
    list: 'Notifications',
    markRead: 'Mark as read',
    markUnread: 'Mark as unread',
    markedOf: (action: string, title: string) => `${action}: ${title}`,
    markAll: 'Mark all as read',
    allMarked: (number: number) => `${count(number, 'notification', 'notifications')} marked as read.`,
    allUnmarked: 'Unread again.',
    older: 'Older notifications',
    isUnread: 'Unread',
    somebody: 'Somebody',
    did: {
      assigned: (who: string) => `${who} assigned it to you`,
      mentioned: (who: string) => `${who} mentioned you`,
      commented: (who: string) => `${who} commented`,
      moved: (who: string) => `${who} moved it`,
      due: () => 'Reminder',
      unblocked: () => 'It is no longer blocked',
      'lease-lapsed': () => 'The claim has ended',
    } as Readonly<Record<string, (who: string) => string>>,
    many: (number: number) => count(number, 'card', 'cards'),
    movedTo: (column: string) => `To ${column}`,
    dueOn: (day: string) => `Due on ${day}`,
    /** The title and text of a browser notification. */
    notificationOf: (did: string, title: string) => `${did}: ${shortened(title)}`,

    ofCard: { off: 'Watch', on: 'Watching', hint: 'You get notifications of comments and moves.' },
    ofProject: {
      off: 'Watch the project',
      on: 'Watching the project',
      hint: 'You get notifications of comments and moves of all its cards.',
    },
    endHint: 'You get notifications of comments and moves until you press this again.',
    watched: (title: string) => `You watch “${shortened(title)}”.`,
    unwatched: (title: string) => `You no longer watch “${shortened(title)}”.`,

    reminders: 'Reminders',
    addReminder: 'Add a reminder',
    removeReminder: (when: string) => `Remove: ${when}`,
    atTime: 'At a time…',
    time: 'Time of the reminder',
    needsDue: 'Reminders before the due date start once the card has one.',
    remindersHint: 'For everybody who watches the card.',
    ofDay: 'Counted from 9:00 of the due day, in the time zone of each watcher.',
    atDue: 'At the due date',
    minutesBefore: (number: number) => `${count(number, 'minute', 'minutes')} before`,
    hoursBefore: (number: number) => `${count(number, 'hour', 'hours')} before`,
    daysBefore: (number: number) => `${count(number, 'day', 'days')} before`,
    weeksBefore: (number: number) => `${count(number, 'week', 'weeks')} before`,
    otherBefore: (duration: string) => `${duration} before`,

    preferences: 'Notifications',
    email: 'By email',
    emails: { none: 'None', each: 'One for each', daily: 'One a day, at 8' },
    mailLanguage: 'Language of the email',
    timeZone: 'Time zone',
    timeZoneHint: (saved: string) => `Also for reminders of days, at 9:00. Saved: ${saved}`,
    preferencesSaved: 'Saved.',
    noMail: 'This service sends no email.',
    stopped: 'No email is sent, since your address was refused:',
    sendAgain: 'The address works: send again',
    testMail: 'Send a test email',
    testSent: (address: string) => `A test email was sent to ${address}.`,
    testRefused: (reason: string) => `It was not sent: ${reason}`,
    handle: 'Handle',
    handleHint: 'Others mention you with it, e.g. @ada: 2 to 32 of a–z, 0–9, dot, dash, underscore.',
    handleSaved: 'Handle saved.',
    inBrowser: 'In this browser',
    inBrowserHint: 'While a tab of the board is open and you are looking at something else.',
    inBrowserDenied: 'This browser does not allow it. Change that in its settings for this site.',

    people: 'People to mention',
    suggestions: (number: number) =>
      count(number, 'suggestion, Enter inserts it', 'suggestions, Enter inserts one'),
    handleOf: (name: string, handle: string) => `${name} @${handle}`,
  },

  // The command palette
  palette: {
    title: 'Commands',
    label: 'Command, project, card or person',
    searchFor: (text: string) => `Search everywhere: “${text}”`,
    cardsOf: (name: string) => `Cards of ${name}`,
    none: 'Nothing found.',
    goTo: (page: string) => `Go to: ${page}`,
    projectTrash: 'Trash of this project',
    theme: (name: string) => `Colours: ${name}`,
    keys: {
      n: 'New card here',
      f: 'Filter cards',
      e: 'Edit the title of the card',
      a: 'Assign the card',
      l: 'Labels of the card',
      d: 'Due date of the card',
      p: 'Priority of the card',
      m: 'Move the card',
      c: 'Copy the link of the card',
      s: 'Select the card',
      x: 'Archive the card',
      'Ctrl+z': 'Undo the last change',
      '/': 'Search everywhere',
      '?': 'Keyboard shortcuts',
    },
  },

  // The list of keyboard shortcuts
  shortcutList: {
    single: 'Single-letter shortcuts',
    groups: [
      {
        name: 'Everywhere',
        keys: [
          ['/', 'Search'],
          ['?', 'This list'],
          ['Ctrl+K', 'Commands, projects and cards'],
          ['Ctrl+Z', 'Undo the last change'],
          ['Ctrl+Shift+Z, Ctrl+Y', 'Redo it'],
          ['g p', 'Go to projects'],
          ['g b', 'Go to the board'],
          ['g f', 'Go to flow'],
          ['g m', 'Go to my work'],
          ['g n', 'Go to the inbox'],
          ['g i', 'Go to ideas'],
          ['Escape', 'Close, or clear the filter'],
        ],
      },
      {
        name: 'On a board',
        keys: [
          ['f', 'Filter'],
          ['n', 'New card here'],
          ['↑ ↓ ← →', 'Move between cards, also k j'],
          ['Enter', 'Open the card'],
          ['Space', 'Pick up the card, drop it'],
          ['m', 'Move the card…'],
          ['e', 'Edit the title'],
          ['a', 'Assignee'],
          ['l', 'Labels'],
          ['p', 'Priority'],
          ['d', 'Due date'],
          ['c', 'Copy the link of the card'],
          ['s', 'Select the card'],
          ['Shift+↑ ↓', 'Select more cards'],
          ['x', 'Archive the card'],
        ],
      },
    ],
  },
} as const

/** For tests, which compare the languages, and for the types of the others. */
export const laterEnglish = english

/** The texts in the language of the page. */
export const later: LaterTexts = 'attention' in texts ? (texts as typeof texts & LaterTexts) : english
