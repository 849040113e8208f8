// Searches the graph for a pattern of the rule language, such as `relu(x @ w + b)`: lower-case names are any value, and
// one name is one value; `_` is any value each time; numbers are constants; `maybe`, `apply` and `S` are those of rules.
// Fused bodies are searched, too.

const OPERATORS = [
  { "|": "|" }, { "<=": "less_equal", ">=": "greater_equal", "==": "equal", "!=": "not_equal", "<": "less", ">": "greater" },
  { "+": "add", "-": "sub" }, { "*": "mul", "/": "div", "@": "matmul" },
];
const UNKNOWN_FUNCTIONS = ["chain", "many", "again"];  // of the rule language: any number of operators or operands
const NAMESPACES = ["ops", "nn", "mint", "functional", "F", "P"];
const TOKEN = /\s*(\*\*|<=|>=|==|!=|[A-Za-z_]\w*|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|"[^"]*"|'[^']*'|[-+*/@|<>()[\],.=])/y;
const MAX_MATCHES = 5000;

// The term of an expression; throws an Error with a sentence for the reader. A lone name or number is not a pattern: null.
function parsePattern(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const token = TOKEN.exec(text);
    if (!token) return null;
    tokens.push(token[1]);
  }
  const reader = new PatternReader(tokens);
  const term = reader.binary(0);
  if (reader.at < tokens.length) throw new Error(`unexpected '${tokens[reader.at]}'`);
  return term.op || term.either ? term : null;
}

class PatternReader {
  constructor(tokens) { Object.assign(this, { tokens, at: 0 }); }

  get next() { return this.tokens[this.at]; }

  accept(token) {
    if (this.next !== token) return false;
    this.at += 1;
    return true;
  }

  expect(token) {
    if (!this.accept(token)) throw new Error(this.next === undefined ? `'${token}' is missing at the end` : `'${token}' is missing before '${this.next}'`);
  }

  // Left-associative operators of a level and those that bind more tightly.
  binary(level) {
    if (level === OPERATORS.length) return this.unary();
    let term = this.binary(level + 1);
    while (Object.hasOwn(OPERATORS[level], this.next ?? "")) {
      const op = OPERATORS[level][this.tokens[this.at++]];
      const other = this.binary(level + 1);
      term = op === "|" ? { either: [term, other] } : call(op, [term, other]);
    }
    return term;
  }

  unary() {
    if (!this.accept("-")) return this.power();
    const term = this.unary();
    return term.number === undefined ? call("neg", [term]) : { number: -term.number };
  }

  power() {
    const base = this.suffixes(this.atom());
    return this.accept("**") ? call("pow", [base, this.unary()]) : base;
  }

  atom() {
    const token = this.tokens[this.at++];
    if (token === "(") {
      const term = this.binary(0);
      this.expect(")");
      return term;
    }
    if (/^[\d.]+/.test(token ?? "") && token !== ".") return { number: Number(token) };
    if (!/^[A-Za-z_]/.test(token ?? "")) throw new Error(token === undefined ? "an operand is missing at the end" : `an operand is missing before '${token}'`);
    if (this.next === "." && NAMESPACES.includes(token)) {
      this.at += 1;
      return this.atom();
    }
    if (!this.accept("(")) return { name: token };
    return ["maybe", "apply", ...UNKNOWN_FUNCTIONS].includes(token) ? this.ruleFunction(token) : this.operands(token, []);
  }

  // `maybe("relu", x @ w)`: with or without this operator; `apply("concat", x, y)`: an operator by its name.
  ruleFunction(name) {
    if (UNKNOWN_FUNCTIONS.includes(name)) throw new Error(`the search has no '${name}'; write its operators one by one`);
    const [, op] = /^["'](.+)["']$/.exec(this.tokens[this.at++] ?? "") || [];
    if (!op) throw new Error(`'${name}' takes the name of an operator in quotes first, such as ${name}("relu", x)`);
    if (this.next !== ")") this.expect(",");
    const term = this.operands(op, []);
    if (name === "apply") return term;
    if (term.operands.length !== 1) throw new Error(`'maybe' takes one operand after the name, got ${term.operands.length}`);
    return { either: [term, term.operands[0]] };
  }

  // `x.T` and calls of methods, such as `x.relu()`.
  suffixes(term) {
    while (this.accept(".")) {
      const name = this.tokens[this.at++];
      if (name === "T" && this.next !== "(") term = call("transpose", [term]);
      else {
        this.expect("(");
        term = this.operands(name, [term]);
      }
    }
    return term;
  }

  // The operands and attributes of a call, up to its closing parenthesis.
  operands(op, first) {
    const term = call(op, first);
    while (!this.accept(")")) {
      if (this.tokens[this.at + 1] === "=") {
        const [name] = this.tokens.splice(this.at, 2);
        const value = this.literal();
        if (!/^s\.\w+$/.test(value)) term.attrs.push(`${name}=${value}`);  // S.axis is any value
      } else term.operands.push(this.binary(0));
      if (this.next !== ")" && !this.accept(",")) this.expect(")");
    }
    return term;
  }

  // The text of an attribute's value, up to the comma or parenthesis that ends it.
  literal() {
    const start = this.at;
    for (let depth = 0; this.next !== undefined && (depth || !/^[,)]$/.test(this.next)); this.at++) {
      depth += /^[([]$/.test(this.next) ? 1 : /^[)\]]$/.test(this.next) ? -1 : 0;
    }
    return this.tokens.slice(start, this.at).join("").replaceAll("'", '"').toLowerCase();
  }
}

const call = (op, operands) => ({ op, operands, attrs: [] });

// Names of operators in a pattern that no node of the page has.
function unknownOperators(term) {
  const known = new Set(DATA.ops.map(([name]) => name));
  return [...new Set(callsOf(term).map(({ op }) => op))].filter((op) => !known.has(op));
}

const callsOf = (term) => [...(term.op ? [term] : []), ...(term.either || term.operands || []).flatMap(callsOf)];

// The matches at a state: the rows of each, the root first.
function findPattern(run, state, term) {
  const matches = [];
  for (let row = 0; row < run.size && matches.length < MAX_MATCHES; row++) {
    if (run.isBodyInput(row) || run.isFused(row) || !state.has(row)) continue;
    const found = matchTerm(run, state, term, [row, 0], { names: new Map(), rows: [] }, (match) => match);
    if (found && found.rows.length) matches.push([...new Set(found.rows)]);
  }
  return withoutParts(matches);
}

// The matches that are no part of a larger one, as `maybe("relu", x @ w)` has at the product alone.
function withoutParts(matches) {
  const around = new Map();
  for (const match of matches) for (const row of match) around.set(row, [...around.get(row) || [], match]);
  const isPart = (match) => around.get(match[0]).some((other) => other.length > match.length && match.every((row) => other.includes(row)));
  return matches.filter((match) => !isPart(match));
}

// Matches a term with a value and continues with `then`, so that later failures try other alternatives; null: no match.
function matchTerm(run, state, term, value, match, then) {
  const [row, result] = state.tail(value);
  if (term.either) {
    return term.either.reduce((found, one) => found || matchTerm(run, state, one, value, match, then), null);
  }
  if (term.number !== undefined) return run.op(row) === "const" && Number(run.label(row)) === term.number ? then(match) : null;
  if (term.name === "_") return then(match);
  if (term.name) {
    const key = `${row} ${result}`;
    if (match.names.has(term.name)) return match.names.get(term.name) === key ? then(match) : null;
    return then({ names: new Map(match.names).set(term.name, key), rows: match.rows });
  }
  const ins = state.ins(row);
  const attrs = run.attrs(row).replaceAll(" ", "").slice(1, -1).toLowerCase();
  const fits = run.op(row) === term.op && ins.length === term.operands.length && !result
    && term.attrs.every((attr) => `,${attrs},`.includes(`,${attr},`));
  if (!fits) return null;
  const inner = { names: match.names, rows: [...match.rows, row] };
  const orders = run.isCommutative(row) && ins.length > 1 ? [ins, [ins[1], ins[0], ...ins.slice(2)]] : [ins];
  return orders.reduce((found, order) => found || matchOperands(run, state, term.operands, order, inner, then), null);
}

function matchOperands(run, state, terms, values, match, then) {
  if (!terms.length) return then(match);
  return matchTerm(run, state, terms[0], values[0], match,
    (one) => matchOperands(run, state, terms.slice(1), values.slice(1), one, then));
}
