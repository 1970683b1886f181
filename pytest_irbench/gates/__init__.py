"""Is it good enough?"""
