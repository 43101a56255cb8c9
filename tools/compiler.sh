#!/bin/sh
# Stands before the compilers in PATH, under the name of each (tools/build.sh): asks ccache first, except for a precompiled
# header. With the folder of another clone inside, that would be of no use as soon as the clone is gone; it is shared among
# the targets of this one.
compiler=/usr/bin/${0##*/}
case " $* " in *" c++-header "*) exec "${0%/*}/../../tools/precompile.sh" "$compiler" "$@" ;; esac
exec ccache "$compiler" "$@"
