/** The colours of the page, and its language. Both are kept in this browser. */
import { chooseLanguage, chosenLanguage, LANGUAGES } from '../common/language.ts'
import { chooseTheme, THEMES, themeNow } from '../common/theme.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Select } from '../common/ui/select.tsx'
import { reload } from '../common/writes.ts'
import { texts } from '../texts.ts'

const words = texts.appearance

export default function AppearanceDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={words.title} onClose={onClose}>
      <fieldset class="field">
        <legend>{words.theme}</legend>
        <div class="stack">
          {THEMES.map((theme) => (
            <label key={theme} class="row">
              <input
                type="radio"
                name="theme"
                checked={themeNow() === theme}
                onChange={() => chooseTheme(theme)}
              />
              {words.themes[theme]}
            </label>
          ))}
        </div>
      </fieldset>
      <Select
        label={words.language}
        value={chosenLanguage()}
        options={[
          ['', words.languageOfBrowser],
          ...Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name] as const),
        ]}
        onChoose={(tag) => {
          chooseLanguage(tag)
          reload()
        }}
      />
      <p class="meta">{words.languageHint}</p>
    </Dialog>
  )
}
