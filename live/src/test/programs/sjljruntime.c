/* The runtime of exceptions by registered handlers (SJLJ), as far as sjlj.cpp needs it: one thread, one
   type of exception. Debian's GCC for 32-bit Windows has only the other kind (DWARF). The layout of what a
   function registers is LLVM's, lib/CodeGen/SjLjEHPrepare.cpp. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct registered {
  struct registered *previous;
  int32_t call_site;
  uint32_t data[4];
  void *personality;
  const uint8_t *table;
  void *jump[5];
};

struct exception {
  struct exception *caught_before;
  int is_thrown;
  int value[2];
};

static struct registered *innermost;
static struct exception *caught;

void *_ZTIi[2];

void __gxx_personality_sj0(void) { abort(); }

void _Unwind_SjLj_Register(struct registered *function) {
  function->previous = innermost;
  innermost = function;
}

void _Unwind_SjLj_Unregister(struct registered *function) { innermost = function->previous; }

static uint32_t uleb(const uint8_t **at) {
  uint32_t value = 0;
  for (int shift = 0;; shift += 7) {
    uint8_t byte = *(*at)++;
    value |= (uint32_t)(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

/* To the handler of the innermost function that has one where it stands; each is left at that. */
void _Unwind_SjLj_Resume(struct exception *thrown) {
  for (struct registered *function = innermost; function; function = function->previous) {
    if (function->call_site <= 0) continue;
    const uint8_t *at = function->table;
    at += 2;
    if (function->table[1] != 255) uleb(&at);
    at++;
    uint32_t length = uleb(&at);
    const uint8_t *actions = at + length;
    uint32_t pad = 0, action = 0;
    for (int i = 0; i < function->call_site; i++) {
      pad = uleb(&at);
      action = uleb(&at);
    }
    function->data[0] = (uint32_t)thrown;
    function->data[1] = action == 0 ? 0 : actions[action - 1];
    function->call_site = pad;
    innermost = function;
    __builtin_longjmp(function->jump, 1);
  }
  printf("terminate\n");
  exit(9);
}

void *__cxa_allocate_exception(size_t size) {
  struct exception *made = calloc(1, sizeof *made);
  return size <= sizeof made->value ? made->value : NULL;
}

static struct exception *of(void *value) {
  return (struct exception *)((char *)value - offsetof(struct exception, value));
}

void __cxa_throw(void *value, void *type, void (*end)(void *)) {
  of(value)->is_thrown = 1;
  _Unwind_SjLj_Resume(of(value));
}

void *__cxa_begin_catch(struct exception *thrown) {
  thrown->is_thrown = 0;
  thrown->caught_before = caught;
  caught = thrown;
  return thrown->value;
}

void __cxa_end_catch(void) {
  struct exception *done = caught;
  caught = done->caught_before;
  if (!done->is_thrown) free(done);
}

void __cxa_rethrow(void) {
  caught->is_thrown = 1;
  _Unwind_SjLj_Resume(caught);
}

void _ZSt9terminatev(void) { exit(8); }
