/* Functions that begin at every place of a line of the cache, the last byte included. */
#ifdef __x86_64__
#define SYMBOL(name) name
#else
#define SYMBOL(name) _##name
#endif
        .text
        .p2align 6
.macro function number
        .p2align 6
        .rept \number
        nop
        .endr
        .globl SYMBOL(at\number)
        .def SYMBOL(at\number); .scl 2; .type 32; .endef
#ifdef __x86_64__
        .seh_proc at\number
at\number:
        .seh_endprologue
        leal \number(%rcx), %eax
        ret
        .seh_endproc
#else
_at\number:
        movl 4(%esp), %eax
        leal \number(%eax), %eax
        ret
#endif
        .section .drectve
        .ascii " -export:at\number"
        .text
.endm
        function 8
        function 31
        function 61
        function 62
        function 63
