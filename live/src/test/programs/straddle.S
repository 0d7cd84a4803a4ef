/* Functions that begin at every place of a line of the cache, the last byte included. */
        .text
        .p2align 6
.macro function number
        .p2align 6
        .rept \number
        nop
        .endr
        .globl at\number
        .def at\number; .scl 2; .type 32; .endef
        .seh_proc at\number
at\number:
        .seh_endprologue
        leal \number(%rcx), %eax
        ret
        .seh_endproc
        .section .drectve
        .ascii " -export:at\number"
        .text
.endm
        function 8
        function 31
        function 61
        function 62
        function 63
