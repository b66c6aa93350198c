/** The decision records have one header format, and an index lists all of them. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const FOLDER = 'docs/decisions'
const HEADER =
  /^# (\d+)\. (\S.*)\n\nDate: \d{4}-\d\d-\d\d · Status: (accepted|superseded by \[\d{3}\]\(\S+\))(, \S.*)?\n\n/

t.test('every record has its number, date and status, and its line in the index', async (t) => {
  const index = readFileSync(`${FOLDER}/README.md`, 'utf8')
  const records = readdirSync(FOLDER).filter((file) => file !== 'README.md')
  const lines = records.map((file) => {
    const [, number = '', title, status] = HEADER.exec(readFileSync(`${FOLDER}/${file}`, 'utf8')) ?? []
    const padded = number.padStart(3, '0')
    t.ok(file.startsWith(`${padded}-`), file)
    return `| [${padded}](${file}) | ${title} | ${status} |`
  })
  t.strictSame(index.match(/^\| \[.*$/gm), lines)
})
