"""Many nights over an unchanged catalogue, in the simulated world: does it come to rest?"""
