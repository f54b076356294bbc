import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { A2uiDocument } from './document';
import { A2uiRenderer } from './renderer';

afterEach(cleanup);

const ATTACKS = [
  '<script>window.owned = 1</script>',
  '<img src=x onerror="window.owned = 1">',
  '<iframe src="https://evil.test"></iframe>',
  '<a href="javascript:window.owned = 1">x</a>',
  '[x](javascript:window.owned=1)',
  '[x](data:text/html,<script>window.owned=1</script>)',
  '![x](https://evil.test/pixel.png)',
  '<svg onload="window.owned = 1">',
  '<style>* { display: none }</style>',
  '<form action="https://evil.test"><input name="q"></form>',
  'safe\u202Egnp.exe',
].join('\n\n');

const HOSTILE: A2uiDocument = {
  v: 1,
  surface: 'hostile',
  components: [
    { id: 'a', type: 'text', props: { value: ATTACKS } },
    { id: 'b', type: 'markdown', props: { value: ATTACKS } },
    { id: 'c', type: 'list', props: { items: [ATTACKS, { label: ATTACKS, detail: ATTACKS, tone: 'critical' }] } },
    { id: 'd', type: 'table', props: { caption: ATTACKS, columns: [{ key: 'x', label: ATTACKS }], rows: [{ x: ATTACKS }] } },
    { id: 'e', type: 'form', props: { title: ATTACKS, fields: [{ name: 'f', type: 'select', label: ATTACKS, hint: ATTACKS, options: [ATTACKS] }] } },
    { id: 'f', type: 'constructor', props: {} },
    { id: 'g', type: '<b>map</b>', props: {} },
    { id: 'h', type: 'table', props: null },
  ],
};

describe('A2uiRenderer', () => {
  it('renders_hostile_content_as_text', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { container } = render(<A2uiRenderer document={HOSTILE} onFormSubmit={() => Promise.resolve()} />);
    // The markdown is rendered by a chunk of its own.
    await waitFor(() => expect(container.querySelector('.prose-guest')).not.toBeNull());
    expect(container.querySelector('script, iframe, style, object, embed, base, meta, form form')).toBeNull();
    expect(container.querySelectorAll('img')).toHaveLength(0);
    for (const link of container.querySelectorAll('a')) expect(link.getAttribute('href')).toMatch(/^(https?:|mailto:)/);
    for (const element of container.querySelectorAll('*')) {
      for (const { name } of element.attributes) expect(name.startsWith('on')).toBe(false);
    }
    expect((window as { owned?: number }).owned).toBeUndefined();
    expect(container.textContent).toContain('\\u{202e}');
  });

  it('shows_placeholders_for_unknown_and_broken_components', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    render(<A2uiRenderer document={HOSTILE} onFormSubmit={() => Promise.resolve()} />);
    expect(screen.getByText('constructor')).toBeTruthy();
    expect(screen.getByText('<b>map</b>')).toBeTruthy();
    expect(screen.getByText(/could not be rendered/)).toBeTruthy();
  });

  it('submits_a_form_once_and_keeps_input_that_was_rejected', async () => {
    const onFormSubmit = vi.fn().mockRejectedValueOnce(new Error('lost')).mockResolvedValueOnce(undefined);
    const form: A2uiDocument = {
      v: 1,
      surface: 's',
      components: [{ id: 'reminder', type: 'form', props: { submit_label: 'Apply', fields: [{ name: 'note', type: 'text', label: 'Note', required: true }] } }],
    };
    render(<A2uiRenderer document={form} onFormSubmit={onFormSubmit} />);
    fireEvent.click(screen.getByText('Apply'));
    expect(screen.getByRole('alert').textContent).toBe('A value is required');
    const note = screen.getByLabelText(/Note/);
    fireEvent.change(note, { target: { value: 'hello' } });
    fireEvent.click(screen.getByText('Apply'));
    await screen.findByText(/Your input is kept/);
    expect((note as HTMLInputElement).value).toBe('hello');
    fireEvent.click(screen.getByText('Apply'));
    await screen.findByText('Sent');
    expect(onFormSubmit).toHaveBeenLastCalledWith({ componentId: 'reminder', values: { note: 'hello' } });
  });

  it('pages_and_sorts_long_tables', () => {
    const rows = [{}, ...Array.from({ length: 1_000 }, (_, i) => ({ n: i }))];
    const table: A2uiDocument = { v: 1, surface: 's', components: [{ id: 't', type: 'table', props: { columns: [{ key: 'n', label: 'N', type: 'number' }], rows } }] };
    const { container } = render(<A2uiRenderer document={table} onFormSubmit={() => Promise.resolve()} />);
    expect(container.querySelectorAll('tbody tr')).toHaveLength(25);
    fireEvent.click(screen.getByText('N'));
    fireEvent.click(screen.getByText('N'));
    expect(container.querySelector('tbody td')?.textContent).toBe('999');
    fireEvent.click(screen.getByLabelText('Next page'));
    expect(container.querySelector('tbody td')?.textContent).toBe('974');
  });
});
