/** What mails say, in the languages of the page. */
import { LANGUAGES, type Language } from '../schemas/records.ts'
import type { QueuedNotification } from './queue.ts'

/** What a mail says in one language. */
export interface MailTexts {
  /** Of dates. */
  locale: string
  /** For each kind of notification; `by` is null, or the actor's name. */
  happened: Readonly<Record<QueuedNotification['kind'], (by: string | null) => string>>
  /** Something that happened to several cards. */
  toCards: (happened: string, cards: number) => string
  untitled: string
  severalProjects: string
  notifications: (number: number) => string
  more: (number: number) => string
  /** Why the member gets the mail. */
  why: Readonly<Record<'each' | 'daily', string>>
  open: string
  unsubscribe: string
  test: { subject: string; text: string }
  /** The page of an unsubscribe link. */
  page: { title: string; question: string; done: string }
}

const english: MailTexts = {
  locale: 'en-GB',
  happened: {
    assigned: (by) => (by === null ? 'Assigned to you' : `Assigned to you by ${by}`),
    mentioned: (by) => (by === null ? 'You were mentioned' : `You were mentioned by ${by}`),
    commented: (by) => (by === null ? 'New comment' : `New comment by ${by}`),
    moved: (by) => (by === null ? 'Moved' : `Moved by ${by}`),
    due: () => 'Due',
    unblocked: () => 'Is no longer blocked',
    'lease-lapsed': () => 'The lease of its claim has ended',
  },
  toCards: (happened, cards) => `${happened}: ${cards} cards`,
  untitled: '(untitled)',
  severalProjects: 'Several projects',
  notifications: (number) => `${number} notifications`,
  more: (number) => `And ${number} more.`,
  why: {
    each: 'You get this mail because you have chosen one for each notification.',
    daily: 'You get this mail once a day because you have chosen that.',
  },
  open: 'Open Phaseboard',
  unsubscribe: 'Unsubscribe',
  test: {
    subject: 'Test of e-mail',
    text: 'This is a test: e-mail of Phaseboard arrives at this address.',
  },
  page: {
    title: 'E-mail of Phaseboard',
    question: 'Do you want to stop e-mail about notifications?',
    done: 'You will get no more e-mail about notifications. You can turn it on again in the preferences of your account.',
  },
}

const german: MailTexts = {
  locale: 'de',
  happened: {
    assigned: (by) => (by === null ? 'Ihnen zugewiesen' : `Ihnen von ${by} zugewiesen`),
    mentioned: (by) => (by === null ? 'Sie wurden erwähnt' : `Sie wurden von ${by} erwähnt`),
    commented: (by) => (by === null ? 'Neuer Kommentar' : `Neuer Kommentar von ${by}`),
    moved: (by) => (by === null ? 'Verschoben' : `Von ${by} verschoben`),
    due: () => 'Fällig',
    unblocked: () => 'Wartet auf nichts mehr',
    'lease-lapsed': () => 'Die Reservierung ist abgelaufen',
  },
  toCards: (happened, cards) => `${happened}: ${cards} Karten`,
  untitled: '(ohne Titel)',
  severalProjects: 'Mehrere Projekte',
  notifications: (number) => `${number} Benachrichtigungen`,
  more: (number) => `Und ${number} weitere.`,
  why: {
    each: 'Sie bekommen diese E-Mail, weil Sie eine je Benachrichtigung gewählt haben.',
    daily: 'Sie bekommen diese E-Mail einmal am Tag, weil Sie das gewählt haben.',
  },
  open: 'Phaseboard öffnen',
  unsubscribe: 'Abbestellen',
  test: {
    subject: 'Test der E-Mail',
    text: 'Das ist ein Test: E-Mails von Phaseboard kommen an dieser Adresse an.',
  },
  page: {
    title: 'E-Mail von Phaseboard',
    question: 'Möchten Sie keine E-Mails über Benachrichtigungen mehr bekommen?',
    done: 'Sie bekommen keine E-Mails über Benachrichtigungen mehr. In den Einstellungen Ihres Kontos können Sie sie wieder einschalten.',
  },
}

const TEXTS: Readonly<Record<Language, MailTexts>> = { en: english, de: german }

/** A stored language; the first for anything else that another tool has stored. */
export const languageOf = (stored: string): Language =>
  LANGUAGES.find((one) => one === stored) ?? LANGUAGES[0]

/** What mails say in a language. */
export const mailTexts = (language: Language): MailTexts => TEXTS[language]
