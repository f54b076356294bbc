import { ExternalLink } from 'lucide-react';
import Markdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';

const ALLOWED = /^(https?:|mailto:)/i;

/** Elements of prose only: no image, no input, no attribute but the target of a link. */
const SCHEMA = {
  ...defaultSchema,
  tagNames: ['p', 'a', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'h1', 'h2', 'h3', 'h4', 'hr', 'br', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  attributes: { a: ['href'], ol: ['start'] },
  protocols: { href: ['http', 'https', 'mailto'] },
  clobberPrefix: 'guest-',
};

/** Headings of a guest are all of one level, so that they never break the outline of the page. */
const COMPONENTS: Components = {
  a({ href, children }) {
    if (!href || !ALLOWED.test(href)) return <span>{children}</span>;
    return (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="link" title={href}>
        {children}
        <ExternalLink size={12} aria-label=" (opens another site)" className="ml-0.5 inline align-[-1px]" />
      </a>
    );
  },
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h2>{children}</h2>,
  h3: ({ children }) => <h2>{children}</h2>,
  h4: ({ children }) => <h2>{children}</h2>,
  img: () => null,
  input: () => null,
};

/** Markdown of a skill or a model: sanitized, without images, and links that say where they lead. */
export default function GuestMarkdown({ text }: { text: string }) {
  return (
    <div className="prose-guest text-md break-words">
      <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[[rehypeSanitize, SCHEMA]]} components={COMPONENTS} skipHtml>
        {text}
      </Markdown>
    </div>
  );
}
