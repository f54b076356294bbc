export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.6" strokeLinecap="round" aria-hidden className="text-accent">
      <path d="M7 3.6v16.8M7 16h3.6" />
      <circle cx="12.4" cy="9" r="5.4" />
    </svg>
  );
}
