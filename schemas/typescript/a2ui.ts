// Generated from crates/palyra-a2ui by `PALYRA_WRITE_GENERATED=1 cargo test -p palyra-a2ui`; do not edit.

/** A document that follows every rule of its version. */
export type A2uiDocument = {
  /** From top to bottom. */
  components: Component[];
  /** The name of what is shown; a later document or patch with the same name replaces it. */
  surface: string;
  /** Always 1. */
  v: 1;
};

/** The values of a form as a person submitted them.  Only [`A2uiDocument::check_submit`] makes them usable: a client can send anything. */
export type A2uiFormSubmitEvent = {
  /** The form. */
  componentId: string;
  /** Values by the names of their fields; null stands for no value. */
  values: Record<string, (FieldValue | null)>;
};

/** Changes to the document of a surface, from one revision to the next. */
export type A2uiPatch = {
  /** The revision it starts from. */
  base_rev: number;
  /** The changes, in order. */
  ops: PatchOp[];
  /** The revision it leads to: `base_rev` and one more. */
  rev: number;
  /** The surface it changes. */
  surface: string;
  /** Always 1. */
  v: 1;
};

/** A side of a column. */
export type Align = ("start" | "center" | "end");

/** The horizontal axis. */
export type Axis = {
  /** What the axis shows. */
  label?: string | null;
  /** Its values. */
  type?: AxisType;
  /** One value for each point: strings, numbers for `number`, dates or date-times for `time`. */
  values: Cell[];
};

/** What the values of an axis are. */
export type AxisType = ("category" | "number" | "time");

/** The smallest or largest value of a field. */
export type Bound = (number | string);

/** One value. */
export type Cell = (null | boolean | number | string);

/** Numbers as a picture: every series has one value for each value of the horizontal axis. */
export type Chart = {
  /** How the numbers are drawn. A pie has one series without negative values. */
  kind: ChartKind;
  /** The numbers; at least one series. */
  series: Series[];
  /** What the chart shows. */
  title?: string | null;
  /** The unit of the numbers, as `ms` or `EUR`. */
  units?: string | null;
  /** The horizontal axis; for a pie the names of its parts. */
  x: Axis;
};

/** How a chart is drawn. */
export type ChartKind = ("bar" | "line" | "area" | "pie" | "scatter");

/** A column of a table. */
export type Column = {
  /** On which side its cells are; numbers are on the right unless it says otherwise. */
  align?: (Align | null);
  /** The name of its cells in each row. */
  key: string;
  /** What a reader sees above it. */
  label: string;
  /** What its cells hold. */
  type?: ColumnType;
};

/** What the cells of a column hold. */
export type ColumnType = ("text" | "number" | "boolean" | "date" | "datetime");

/** A part of a document; patches and submitted forms refer to it by its id. */
export type Component = ({
  props: Text;
  type: "text";
} | {
  props: Markdown;
  type: "markdown";
} | {
  props: List;
  type: "list";
} | {
  props: Table;
  type: "table";
} | {
  props: Form;
  type: "form";
} | {
  props: Chart;
  type: "chart";
} | UnknownComponent) & {
  /** Unique within the document. */
  id: string;
};

/** A field of a form. */
export type Field = {
  /** The value it begins with; never for `secret`. */
  default?: (FieldValue | null);
  /** What else a person should know. */
  hint?: string | null;
  /** What a person sees beside it. */
  label: string;
  /** Largest value of a number, slider, date or date-time. */
  max?: (Bound | null);
  /** Most characters of a text, or most options of a multiselect. */
  max_length?: number | null;
  /** Smallest value of a number, slider, date or date-time. */
  min?: (Bound | null);
  /** Least characters of a text, or least options of a multiselect. */
  min_length?: number | null;
  /** The name of its value in what is submitted. */
  name: string;
  /** What a select or multiselect offers. */
  options?: string[];
  /** Whether a form without it is refused; for a checkbox, whether it must be checked. */
  required?: boolean;
  /** Distance between values of a number or slider, counted from `min` or 0. */
  step?: number | null;
  /** What it takes. */
  type: FieldType;
};

/** What a field takes. */
export type FieldType = ("text" | "textarea" | "email" | "number" | "select" | "multiselect" | "checkbox" | "date" | "datetime" | "slider" | "secret");

/** A value of a field. Its debug form names the kind only, because a submitted value can be a secret. */
export type FieldValue = (boolean | number | string | string[]);

/** Fields for a person to fill in. */
export type Form = {
  /** The fields; at least one, with different names. */
  fields: Field[];
  /** The label of the button; `Submit` where there is none. */
  submit_label?: string | null;
  /** What the form is for. */
  title?: string | null;
  /** The tool that is called with the values where no run waits for them. */
  tool?: string | null;
};

/** An item of a list. */
export type Item = (string | ListRow);

/** Items, one below the other. */
export type List = {
  /** The items. */
  items: Item[];
  /** Whether items are numbered, from 1. */
  ordered?: boolean;
};

/** A label with what belongs to it. */
export type ListRow = {
  /** More about it. */
  detail?: string | null;
  /** Subject of the row. */
  label: string;
  /** Its purpose. */
  tone?: Tone;
  /** Its value. */
  value?: Cell;
};

/** GitHub-flavoured markdown. Links lead to `http`, `https` or `mailto`; images are refused. */
export type Markdown = {
  /** The markdown text. */
  value: string;
};

/** One change. */
export type PatchOp = ({
  /** The id of the component it goes above; at the end where there is none. */
  before?: string | null;
  /** What to insert. */
  component: Component;
  op: "add";
} | {
  /** What takes its place. */
  component: Component;
  op: "replace";
} | {
  /** Its id. */
  id: string;
  op: "remove";
} | {
  /** The id of the component it goes above; to the end where there is none. */
  before?: string | null;
  /** Its id. */
  id: string;
  op: "move";
});

/** The cells of a row by the keys of their columns. */
export type Row = Record<string, Cell>;

/** One line, or the bars of one colour. */
export type Series = {
  /** What it shows. */
  name: string;
  /** As many numbers as the axis has values; null where there is none. */
  values: (number | null)[];
};

/** An order of rows. */
export type Sort = {
  /** Which way. */
  direction?: SortDirection;
  /** The key of a column. */
  key: string;
};

/** Which way rows are ordered. */
export type SortDirection = ("ascending" | "descending");

/** Rows and columns. */
export type Table = {
  /** What the table shows. */
  caption?: string | null;
  /** The columns, from left to right; at least one, with different keys. */
  columns: Column[];
  /** Rows to show at once where a reader can page; 1 to 1,000. */
  page_size?: number | null;
  /** The rows. A cell that is missing is empty. */
  rows: Row[];
  /** The order a reader sees first; the rows are sent in the order they are in. */
  sort?: (Sort | null);
};

/** A paragraph. */
export type Text = {
  /** Its purpose. */
  tone?: Tone;
  /** The text; a line break starts a new line. */
  value: string;
};

/** How a text is meant; no tone is shown by colour alone. */
export type Tone = ("normal" | "muted" | "success" | "warning" | "critical");

/** A component of a type this version does not know. */
export type UnknownComponent = {
  /** Its properties, bounded in bytes and depth. */
  props: unknown;
  /** The type as the document names it. */
  type: string;
};
