/* Functions that tests ask for by name: exported, never inlined, with room in front for a jump. */
#ifdef __cplusplus
#define EXTERN extern "C"
#else
#define EXTERN
#endif
#ifdef __clang__
/* The linker is told to export everything: it does not understand how clang asks for it. */
#define TRACED EXTERN __attribute__((noinline, patchable_function_entry(6, 6)))
#else
#define TRACED EXTERN __declspec(dllexport) __attribute__((noipa, patchable_function_entry(6, 6)))
#endif
