/*
 * A processor of Unicorn's behind two pipes. Requests come in on standard input, each is a letter and its
 * operands; every one is answered on standard output. Numbers are little-endian.
 *
 *   O u32 bits                        new machine of 16, 32 or 64 bits, without memory    -> status
 *   M u64 address, u64 size           maps zeros that can be read, written, executed      -> status
 *   U u64 address, u64 size           unmaps                                              -> status
 *   W u64 address, u32 n, n bytes     writes memory                                       -> status
 *   R u64 address, u32 n              reads memory                                        -> status, n bytes
 *   S u32 n, n x (u32 register, 16 bytes)        sets registers                           -> status
 *   G u32 n, n x u32 register                    reads registers                          -> status, n x 16 bytes
 *   P                                 remembers registers and memory, on top of what is remembered   -> status
 *   B                                 back to what the last P remembered                  -> status
 *   F                                 forgets the last P, without going back              -> status
 *   X u64 begin, u64 until, u64 low, u64 high, u64 most, u32 pages, u32 options            -> run
 *
 * status: u32, 0 or an error of Unicorn's. Addresses and sizes of M and U are multiples of 4096.
 *
 * registers: 0..15 general, by the number that instructions encode; 16 ip; 17 flags; 18, 19 bases of fs and gs;
 * 32..47 XMM.
 *
 * X runs from begin up to the instruction at until, which is not executed, or to one outside of low..high-1, or
 * until so many instructions were executed. Where memory is missing, up to so many pages of zeros are mapped.
 * options: 1 notes addresses, 2 general registers, 4 XMM registers, 8 writes of memory, 16 steps over calls: they
 * do nothing, and their return address is not pushed. 32 the same, but eax becomes 0 unless mov eax, imm is
 * before the call.
 *
 * run: records, each a letter:
 *   I u64 address [16 x u64 general registers] [16 x 16 bytes XMM]    before an instruction is executed
 *   W u64 address, u32 bytes, u64 value                              it writes: in pieces of at most 8 bytes
 *   E u32 reason, u32 status, u64 ip, u64 executed                   the end
 * reason: 0 until, 1 outside, 2 most, 3 memory missing, 4 not an instruction that it knows, 5 something else
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

enum { PAGE = 4096, GENERAL = 16, XMM = 32 };
enum { ADDRESSES = 1, REGISTERS = 2, VECTORS = 4, WRITES = 8, SKIP_CALLS = 16, ZERO_RESULT = 32 };
enum { UNTIL, OUTSIDE, MOST, MISSING, UNKNOWN, OTHER };

typedef struct { uint64_t address; uint32_t size; uint8_t old[64]; } Undo;

static uc_engine *uc;
static int bits;
/* What was remembered: registers, and how long the lists of changes were. */
typedef struct { uc_context *registers; size_t undos; uint32_t pages; } Memory;

static Memory memories[8];
static int memory_count;
static Undo *undo;
static size_t undos, undo_room;
static uint64_t *pages;
static uint32_t page_count, page_room, pages_left;

static uint64_t until_address, low, high, most, executed;
static uint32_t options;
static int reason, moved, running;
static uint32_t before;

static void die(const char *why) {
  fprintf(stderr, "unicorn: %s\n", why);
  exit(2);
}

static void in(void *to, size_t n) {
  if (n && fread(to, 1, n, stdin) != n) exit(0);
}

static uint32_t u32(void) {
  uint32_t v;
  in(&v, 4);
  return v;
}

static uint64_t u64(void) {
  uint64_t v;
  in(&v, 8);
  return v;
}

static void out(const void *from, size_t n) {
  if (n && fwrite(from, 1, n, stdout) != n) exit(0);
}

static void status(uc_err error) {
  uint32_t v = error;
  out(&v, 4);
}

static const int general64[] = {
    UC_X86_REG_RAX, UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_RBX, UC_X86_REG_RSP, UC_X86_REG_RBP,
    UC_X86_REG_RSI, UC_X86_REG_RDI, UC_X86_REG_R8,  UC_X86_REG_R9,  UC_X86_REG_R10, UC_X86_REG_R11,
    UC_X86_REG_R12, UC_X86_REG_R13, UC_X86_REG_R14, UC_X86_REG_R15};
static const int general32[] = {UC_X86_REG_EAX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_EBX,
                                UC_X86_REG_ESP, UC_X86_REG_EBP, UC_X86_REG_ESI, UC_X86_REG_EDI};

static int id(uint32_t number) {
  int wide = bits == 64;
  if (number < GENERAL) return wide ? general64[number] : number < 8 ? general32[number] : UC_X86_REG_INVALID;
  if (number == 16) return wide ? UC_X86_REG_RIP : UC_X86_REG_EIP;
  if (number == 17) return wide ? UC_X86_REG_RFLAGS : UC_X86_REG_EFLAGS;
  if (number == 18) return UC_X86_REG_FS_BASE;
  if (number == 19) return UC_X86_REG_GS_BASE;
  if (number >= XMM && number < XMM + 16) return UC_X86_REG_XMM0 + number - XMM;
  return UC_X86_REG_INVALID;
}

static uint64_t get(uint32_t number) {
  uint64_t v = 0;
  uc_reg_read(uc, id(number), &v);
  return v;
}

static void set(uint32_t number, uint64_t v) { uc_reg_write(uc, id(number), &v); }

/* Whether an instruction is a call: prefixes, then E8 or FF with 2 in its ModRM byte. */
static int is_call(uint64_t address, uint32_t size) {
  uint8_t code[16] = {0};
  if (size > sizeof code || uc_mem_read(uc, address, code, size)) return 0;
  uint32_t i = 0;
  while (i + 1 < size && (code[i] == 0x66 || code[i] == 0xF2 || code[i] == 0xF3 || code[i] == 0x2E ||
                          code[i] == 0x3E || code[i] == 0x64 || code[i] == 0x65 ||
                          (bits == 64 && (code[i] & 0xF0) == 0x40)))
    i++;
  return code[i] == 0xE8 || (code[i] == 0xFF && i + 1 < size && (code[i + 1] >> 3 & 7) == 2);
}

static void on_code(uc_engine *engine, uint64_t address, uint32_t size, void *data) {
  (void) engine, (void) data;
  if (moved) {
    /* Hooks of what was translated behind a call that was stepped over. */
    uc_emu_stop(uc);
    return;
  }
  reason = address == until_address ? UNTIL : address < low || address >= high ? OUTSIDE : executed >= most ? MOST : -1;
  if (reason >= 0) {
    running = 0;
    uc_emu_stop(uc);
    return;
  }
  executed++;
  if (options & ADDRESSES) {
    putchar('I');
    out(&address, 8);
    if (options & REGISTERS) {
      uint64_t values[GENERAL] = {0};
      for (int i = 0; i < (bits == 64 ? 16 : 8); i++) values[i] = get(i);
      out(values, sizeof values);
    }
    if (options & VECTORS) {
      uint8_t values[16][16];
      memset(values, 0, sizeof values);
      for (int i = 0; i < (bits == 64 ? 16 : 8); i++) uc_reg_read(uc, UC_X86_REG_XMM0 + i, values[i]);
      out(values, sizeof values);
    }
  }
  uint8_t first = 0;
  uc_mem_read(uc, address, &first, 1);
  if ((options & (SKIP_CALLS | ZERO_RESULT)) && is_call(address, size)) {
    if ((options & ZERO_RESULT) && before != 0xB8) set(0, 0);
    moved = 1;
    set(16, address + size);
    uc_emu_stop(uc);
  }
  before = first;
}

static void on_write(uc_engine *engine, uc_mem_type type, uint64_t address, int size, int64_t value, void *data) {
  (void) engine, (void) type, (void) data;
  if (moved) return;
  if (memory_count) {
    if (undos == undo_room) {
      undo_room = undo_room ? 2 * undo_room : 256;
      undo = realloc(undo, undo_room * sizeof *undo);
      if (!undo) die("out of memory");
    }
    Undo *u = &undo[undos];
    u->address = address;
    u->size = size > 64 ? 64 : size;
    if (!uc_mem_read(uc, address, u->old, u->size)) undos++;
  }
  if (options & WRITES) {
    uint32_t n = size;
    putchar('W');
    out(&address, 8);
    out(&n, 4);
    out(&value, 8);
  }
}

static bool on_missing(uc_engine *engine, uc_mem_type type, uint64_t address, int size, int64_t value, void *data) {
  (void) engine, (void) value, (void) data;
  if (type == UC_MEM_FETCH_UNMAPPED) return false;
  uint64_t first = address & ~(uint64_t) (PAGE - 1), last = (address + size - 1) & ~(uint64_t) (PAGE - 1);
  for (uint64_t page = first;; page += PAGE) {
    uint8_t byte;
    if (uc_mem_read(uc, page, &byte, 1)) {
      if (!pages_left || uc_mem_map(uc, page, PAGE, UC_PROT_ALL)) return false;
      pages_left--;
      if (page_count == page_room) {
        page_room = page_room ? 2 * page_room : 64;
        pages = realloc(pages, page_room * sizeof *pages);
        if (!pages) die("out of memory");
      }
      pages[page_count++] = page;
    }
    if (page == last) return true;
  }
}

static uc_err forget(void) {
  if (!memory_count) return UC_ERR_ARG;
  uc_context_free(memories[--memory_count].registers);
  if (!memory_count) undos = 0, page_count = 0;
  return UC_ERR_OK;
}

static uc_err open_machine(void) {
  bits = u32();
  if (uc) {
    while (memory_count) forget();
    undos = 0, page_count = 0;
    uc_close(uc);
    uc = NULL;
  }
  uc_mode mode = bits == 64 ? UC_MODE_64 : bits == 32 ? UC_MODE_32 : UC_MODE_16;
  uc_err error = uc_open(UC_ARCH_X86, mode, &uc);
  if (error) return error;
  uc_hook hook;
  error = uc_hook_add(uc, &hook, UC_HOOK_CODE, (void *) on_code, NULL, 1, 0);
  if (!error) error = uc_hook_add(uc, &hook, UC_HOOK_MEM_WRITE, (void *) on_write, NULL, 1, 0);
  if (!error) error = uc_hook_add(uc, &hook, UC_HOOK_MEM_UNMAPPED, (void *) on_missing, NULL, 1, 0);
  return error;
}

static uc_err remember(void) {
  if (memory_count == sizeof memories / sizeof *memories) return UC_ERR_RESOURCE;
  Memory *m = &memories[memory_count];
  uc_err error = uc_context_alloc(uc, &m->registers);
  if (!error) error = uc_context_save(uc, m->registers);
  if (error) return error;
  m->undos = undos;
  m->pages = page_count;
  memory_count++;
  return UC_ERR_OK;
}

static uc_err go_back(void) {
  if (!memory_count) return UC_ERR_ARG;
  Memory *m = &memories[memory_count - 1];
  while (undos > m->undos) {
    Undo *u = &undo[--undos];
    uc_mem_write(uc, u->address, u->old, u->size);
  }
  while (page_count > m->pages) uc_mem_unmap(uc, pages[--page_count], PAGE);
  return uc_context_restore(uc, m->registers);
}

static void run(void) {
  uint64_t begin = u64();
  until_address = u64();
  low = u64();
  high = u64();
  most = u64();
  pages_left = u32();
  options = u32();
  executed = 0;
  before = 0;
  uc_err error = UC_ERR_OK;
  running = 1;
  uint64_t at = begin;
  while (running) {
    reason = -1;
    moved = 0;
    error = uc_emu_start(uc, at, ~(uint64_t) 0, 0, 0);
    at = get(16);
    if (error || (running && !moved)) break;
  }
  uint32_t why = reason >= 0 && !error ? (uint32_t) reason
                 : error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED || error == UC_ERR_FETCH_UNMAPPED
                     ? MISSING
                 : error == UC_ERR_INSN_INVALID ? UNKNOWN
                                                : OTHER;
  uint32_t number = error;
  putchar('E');
  out(&why, 4);
  out(&number, 4);
  out(&at, 8);
  out(&executed, 8);
}

static void memory(int write) {
  uint64_t address = u64();
  uint32_t n = u32();
  uint8_t *bytes = calloc(1, n + 1);
  if (!bytes) die("out of memory");
  if (write) {
    in(bytes, n);
    status(uc_mem_write(uc, address, bytes, n));
  } else {
    status(uc_mem_read(uc, address, bytes, n));
    out(bytes, n);
  }
  free(bytes);
}

static void registers(int write) {
  uint32_t n = u32();
  uc_err error = UC_ERR_OK;
  uint8_t(*values)[16] = calloc(n + 1, 16);
  if (!values) die("out of memory");
  for (uint32_t i = 0; i < n; i++) {
    uint32_t number = u32();
    if (write) in(values[i], 16);
    int known = id(number);
    uc_err failed = known == UC_X86_REG_INVALID ? UC_ERR_ARG
                    : write                     ? uc_reg_write(uc, known, values[i])
                                                : uc_reg_read(uc, known, values[i]);
    if (failed) error = failed;
  }
  status(error);
  if (!write) out(values, 16 * (size_t) n);
  free(values);
}

int main(void) {
  int request;
  while ((request = getchar()) != EOF) {
    if (!uc && request != 'O') die("no machine");
    switch (request) {
      case 'O': status(open_machine()); break;
      case 'M': { uint64_t address = u64(), size = u64(); status(uc_mem_map(uc, address, size, UC_PROT_ALL)); break; }
      case 'U': { uint64_t address = u64(), size = u64(); status(uc_mem_unmap(uc, address, size)); break; }
      case 'W': memory(1); break;
      case 'R': memory(0); break;
      case 'S': registers(1); break;
      case 'G': registers(0); break;
      case 'P': status(remember()); break;
      case 'B': status(go_back()); break;
      case 'F': status(forget()); break;
      case 'X': run(); break;
      default: die("no such request");
    }
    fflush(stdout);
  }
  return 0;
}
