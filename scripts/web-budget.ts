/** Sizes of the board page's files, and their budget. All sizes in bytes, after Brotli. */

/** The sizes of a build of the page. */
export interface WebSizes {
  /** Loaded by every visit: scripts, style sheet, HTML and icon. */
  first: { js: number; css: number; html: number; icon: number }
  /** Loaded later, by folder of `web/`, without the files of the first load. */
  later: Record<string, number>
}

/** The budget. `other` applies to each folder that is not listed. */
export interface WebBudget {
  first: WebSizes['first'] & { total: number }
  later: Record<string, number> & { other: number }
}

const KB = 1024

/** The budget of the board page. Shared code that pages load later is mostly for the
 * Markdown and the files of cards, and for dialogs. The field of dates takes 3.5 KB in each page that has one, and once in a
 * browser. */
export const BUDGET: WebBudget = {
  first: { js: 64_880, css: 8990, html: 600, icon: 172, total: 64_880 + 8990 + 600 + 172 },
  later: {
    card: 45 * KB,
    flow: 40 * KB,
    // With the texts that are loaded later, which it shares with the card.
    overview: 30.3 * KB,
    people: 27.5 * KB,
    admin: 25 * KB,
    board: 26.5 * KB,
    common: 38 * KB,
    'texts.de': 14 * KB,
    other: 25 * KB,
  },
}

/** A page above its budget. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'
}

const inKb = (bytes: number) => `${(bytes / KB).toFixed(1)} KB`

/**
 * Compares a build with the budget.
 * @throws OverBudget with all exceeded budgets
 */
export function checkBudget({ first, later }: WebSizes, budget = BUDGET): void {
  const total = Object.values(first).reduce((sum, size) => sum + size, 0)
  const limits = [
    ...Object.entries({ ...first, total }).map(
      ([name, size]) => [`first load, ${name}`, size, budget.first[name as keyof WebSizes['first']]] as const,
    ),
    ...Object.entries(later).map(
      ([name, size]) => [`web/${name}`, size, budget.later[name] ?? budget.later.other] as const,
    ),
  ]
  const over = limits.filter(([, size, limit]) => size > limit)
  if (over.length === 0) return
  const lines = over.map(([name, size, limit]) => `  ${name}: ${inKb(size)} of ${inKb(limit)}`)
  throw new OverBudget(['The board page is over its budget (after Brotli):', ...lines].join('\n'))
}
